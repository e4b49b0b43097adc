#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

// Smith-Waterman with affine gaps, one block per pair. Thread t owns query
// column t and advances along the target with a skew of t rows.

namespace align {

struct Scoring {
  int match, mismatch, gapOpen, gapExtend;
};

struct Pair {
  int queryBegin, queryLen;
  int targetBegin, targetLen;
};

struct Cell {
  int h, e;
};

enum : int { kMinusInf = -(1 << 28) };

// Right edge of every column, handed to the next thread in the next step.
// Two slots: one is read while the other is written.
template <int MAXQ>
struct Wave {
  Cell edge[2][MAXQ + 1];
};

template <int MAXQ>
struct ColumnWalker {
  Wave<MAXQ>& w;
  Scoring sc;
  int diag = 0, up = 0, f = kMinusInf, best = 0;

  __device__ ColumnWalker(Wave<MAXQ>& wave, Scoring s) : w(wave), sc(s) {}

  __device__ void step(int t, int d, char q, const char* target, int targetLen, bool active) {
    const int row = d - t;
    if (active && row >= 0 && row < targetLen) {
      const Cell left = t == 0 ? Cell{0, kMinusInf} : w.edge[(d + 1) & 1][t - 1];
      const int e = max(left.e - sc.gapExtend, left.h - sc.gapOpen);
      f = max(f - sc.gapExtend, up - sc.gapOpen);
      const int s = q == target[row] ? sc.match : sc.mismatch;
      const int h = max(max(0, diag + s), max(e, f));
      diag = left.h;
      up = h;
      best = max(best, h);
      w.edge[d & 1][t] = Cell{h, e};
    }
  }
};

template <int MAXQ>
__global__ void __launch_bounds__(MAXQ)
    scorePairs(const Pair* pairs, const char* queries, const char* targets, Scoring sc, int* scores) {
  __shared__ Wave<MAXQ> wave;
  __shared__ int blockBest;
  const Pair pr = pairs[blockIdx.x];
  const int t = threadIdx.x;
  const bool active = t < pr.queryLen;
  const char q = active ? queries[pr.queryBegin + t] : 0;
  const char* target = targets + pr.targetBegin;
  if (t == 0) blockBest = 0;
  __syncthreads();

  ColumnWalker<MAXQ> col(wave, sc);
  const int steps = pr.targetLen + pr.queryLen - 1;
  for (int d = 0; d < steps; ++d) {
    col.step(t, d, q, target, pr.targetLen, active);
    __syncthreads();
  }

  if (active) atomicMax(&blockBest, col.best);
  __syncthreads();
  if (t == 0) scores[blockIdx.x] = blockBest;
}

class Aligner {
 public:
  Aligner(Scoring sc, cudaStream_t s) : sc_(sc), stream_(s) {}

  // Pairs come binned by query length, maxQuery is the longest of the bin.
  bool run(const Pair* pairs, int n, int maxQuery, const char* q, const char* t, int* out) const {
    if (n == 0) return true;
    if (maxQuery <= 64)
      scorePairs<64><<<n, 64, 0, stream_>>>(pairs, q, t, sc_, out);
    else if (maxQuery <= 256)
      scorePairs<256><<<n, 256, 0, stream_>>>(pairs, q, t, sc_, out);
    else if (maxQuery <= 1024)
      scorePairs<1024><<<n, 1024, 0, stream_>>>(pairs, q, t, sc_, out);
    else
      return false;
    return cudaGetLastError() == cudaSuccess;
  }

 private:
  Scoring sc_;
  cudaStream_t stream_;
};

}  // namespace align

int main() {
  using namespace align;
  const int n = 500, ql = 150, tl = 400;
  std::string q, t;
  std::vector<Pair> pairs;
  for (int i = 0; i < n; ++i) {
    pairs.push_back({int(q.size()), ql - i % 50, int(t.size()), tl - i % 90});
    for (int k = 0; k < pairs.back().queryLen; ++k) q += "ACGT"[(i * 7 + k * k) & 3];
    for (int k = 0; k < pairs.back().targetLen; ++k) t += "ACGT"[(i * 3 + k * k + k) & 3];
  }
  Pair* dp;
  char *dq, *dt;
  int* ds;
  cudaMalloc(&dp, n * sizeof(Pair));
  cudaMalloc(&dq, q.size());
  cudaMalloc(&dt, t.size());
  cudaMalloc(&ds, n * sizeof(int));
  cudaMemcpy(dp, pairs.data(), n * sizeof(Pair), cudaMemcpyHostToDevice);
  cudaMemcpy(dq, q.data(), q.size(), cudaMemcpyHostToDevice);
  cudaMemcpy(dt, t.data(), t.size(), cudaMemcpyHostToDevice);
  const bool ok = Aligner({2, -3, 5, 1}, 0).run(dp, n, ql, dq, dt, ds);
  printf("%d %s\n", ok, cudaGetErrorString(cudaDeviceSynchronize()));
  return !ok;
}
