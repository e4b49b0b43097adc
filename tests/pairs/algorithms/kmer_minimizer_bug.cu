// Minimizer extraction: one block per read, window minima through shared memory.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace mini {

constexpr int kChunk = 96;    // k-mers hashed at a time
constexpr int kMaxWin = 32;

struct Reads {
  const uint8_t* bases;  // 2-bit codes, one a byte
  const uint32_t* begin;
  const uint32_t* length;
  int count;
};

struct Config {
  int k;
  int w;
};

__device__ __forceinline__ uint32_t mix(uint32_t h) {
  h ^= h >> 16;
  h *= 0x85ebca6bu;
  h ^= h >> 13;
  h *= 0xc2b2ae35u;
  return h ^ (h >> 16);
}

__device__ uint32_t hash_kmer(const uint8_t* b, int k) {
  uint32_t v = 0;
  for (int i = 0; i < k; ++i) v = (v << 2) | (b[i] & 3);
  return mix(v);
}

struct Window {
  uint32_t h[kChunk + kMaxWin];
  unsigned found;
};

__global__ void extract(Reads r, Config c, uint32_t* __restrict__ out, uint32_t* __restrict__ out_n, int max_per_read) {
  __shared__ Window win;
  const int read = blockIdx.x;
  const uint8_t* seq = r.bases + r.begin[read];
  const int nk = (int)r.length[read] - c.k + 1;
  uint32_t* dst = out + (size_t)read * max_per_read;
  const int t = threadIdx.x;

  if (t == 0) win.found = 0;
  __syncwarp();
  for (int base = 0; base < nk - c.w + 1; base += kChunk) {
    for (int i = t; i < kChunk + c.w; i += blockDim.x)
      win.h[i] = base + i < nk ? hash_kmer(seq + base + i, c.k) : 0xffffffffu;
    __syncwarp();
    for (int i = t; i < kChunk; i += blockDim.x) {
      if (base + i + c.w > nk) break;
      uint32_t m = win.h[i];
      int at = 0;
      for (int j = 1; j < c.w; ++j) {
        const uint32_t x = win.h[i + j];
        if (x < m) m = x, at = j;
      }
      if (at == 0) {
        const unsigned slot = atomicAdd(&win.found, 1u);
        if ((int)slot < max_per_read) dst[slot] = m;
      }
    }
    __syncwarp();
  }
  if (t == 0) out_n[read] = min(win.found, (unsigned)max_per_read);
}

class Extractor {
 public:
  Extractor(int k, int w) : cfg_{k, w} {}
  bool valid() const { return cfg_.k >= 4 && cfg_.k <= 16 && cfg_.w >= 1 && cfg_.w <= kMaxWin; }

  cudaError_t run(const Reads& r, uint32_t* out, uint32_t* out_n, int max_per_read, cudaStream_t s) const {
    if (!valid()) return cudaErrorInvalidValue;
    if (r.count == 0) return cudaSuccess;
    const int threads = 64;
    extract<<<r.count, threads, 0, s>>>(r, cfg_, out, out_n, max_per_read);
    return cudaGetLastError();
  }

 private:
  Config cfg_;
};

}  // namespace mini

int main() {
  const int n = 2000, len = 151, cap = 64;
  std::vector<uint32_t> beg(n), ln(n, len);
  for (int i = 0; i < n; ++i) beg[i] = i * len;
  uint8_t* b;
  uint32_t *db, *dl, *o, *on;
  cudaMalloc(&b, n * len);
  cudaMalloc(&db, n * 4);
  cudaMalloc(&dl, n * 4);
  cudaMalloc(&o, (size_t)n * cap * 4);
  cudaMalloc(&on, n * 4);
  cudaMemset(b, 1, n * len);
  cudaMemcpy(db, beg.data(), n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(dl, ln.data(), n * 4, cudaMemcpyHostToDevice);
  mini::Extractor ex(15, 10);
  if (ex.run({b, db, dl, n}, o, on, cap, 0) != cudaSuccess) return 1;
  return cudaDeviceSynchronize() != cudaSuccess;
}
