// Needleman-Wunsch global alignment score, one block per pair, anti-diagonal wavefront.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace nw {

constexpr int kMaxLen = 512;
constexpr int kThreads = 128;
constexpr int kDiags = 3;

struct Scores {
  int match, mismatch, gap;
};

struct Seqs {
  const char* a;
  const char* b;
  const int* alen;
  const int* blen;
  int pitch;
  int n;
};

struct Ring {
  int d[kDiags][kMaxLen + 1];
  __device__ int* at(int k) { return d[k % kDiags]; }
};

__device__ __forceinline__ int max3(int a, int b, int c) { return max(a, max(b, c)); }

__global__ void __launch_bounds__(kThreads) nw_score(Seqs s, Scores sc, int* __restrict__ out) {
  __shared__ Ring ring;
  __shared__ char sa[kMaxLen];
  const int p = blockIdx.x;
  const int la = min(s.alen[p], kMaxLen), lb = s.blen[p];
  const char* a = s.a + (size_t)p * s.pitch;
  const char* b = s.b + (size_t)p * s.pitch;

  for (int i = threadIdx.x; i < la; i += kThreads) sa[i] = a[i];
  if (threadIdx.x == 0) ring.at(0)[0] = 0;
  __syncthreads();

  // diagonal k holds cells (i, k - i), i = row in a
  for (int k = 1; k <= la + lb; ++k) {
    const int* prev2 = ring.at(k + kDiags - 2);
    const int* prev = ring.at(k + kDiags - 1);
    int* cur = ring.at(k);
    const int lo = max(0, k - lb), hi = min(k, la);
    for (int i = lo + threadIdx.x; i <= hi; i += kThreads) {
      const int j = k - i;
      int v;
      if (i == 0)
        v = -j * sc.gap;
      else if (j == 0)
        v = -i * sc.gap;
      else
        v = max3(prev2[i - 1] + (sa[i - 1] == b[j - 1] ? sc.match : -sc.mismatch), prev[i - 1] - sc.gap,
                 prev[i] - sc.gap);
      cur[i] = v;
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) out[p] = ring.at(la + lb)[la];
}

class Batch {
 public:
  Batch(int n, int pitch) : n_(n), pitch_(pitch) {
    cudaMalloc(&a_, (size_t)n * pitch);
    cudaMalloc(&b_, (size_t)n * pitch);
    cudaMalloc(&la_, n * sizeof(int));
    cudaMalloc(&lb_, n * sizeof(int));
    cudaMalloc(&out_, n * sizeof(int));
  }
  ~Batch() {
    for (void* p : {(void*)a_, (void*)b_, (void*)la_, (void*)lb_, (void*)out_}) cudaFree(p);
  }
  bool upload(const std::vector<char>& a, const std::vector<char>& b, const std::vector<int>& la,
              const std::vector<int>& lb) {
    for (int v : la)
      if (v > kMaxLen || v > pitch_) return false;
    for (int v : lb)
      if (v > pitch_) return false;
    cudaMemcpy(a_, a.data(), a.size(), cudaMemcpyHostToDevice);
    cudaMemcpy(b_, b.data(), b.size(), cudaMemcpyHostToDevice);
    cudaMemcpy(la_, la.data(), la.size() * 4, cudaMemcpyHostToDevice);
    return cudaMemcpy(lb_, lb.data(), lb.size() * 4, cudaMemcpyHostToDevice) == cudaSuccess;
  }
  bool run(const Scores& sc) {
    if (n_ == 0) return true;
    nw_score<<<n_, kThreads>>>(Seqs{a_, b_, la_, lb_, pitch_, n_}, sc, out_);
    return cudaDeviceSynchronize() == cudaSuccess;
  }

 private:
  int n_, pitch_;
  char *a_, *b_;
  int *la_, *lb_, *out_;
};

}  // namespace nw

int main() {
  const int n = 100, pitch = 512;
  nw::Batch batch(n, pitch);
  std::vector<char> a(n * pitch, 'A'), b(n * pitch, 'C');
  std::vector<int> la(n, 500), lb(n, 480);
  return !(batch.upload(a, b, la, lb) && batch.run({2, 1, 2}));
}
