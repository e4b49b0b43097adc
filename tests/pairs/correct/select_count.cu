// k-th smallest element per row by bitwise bisection with block-wide counts.
#include <cuda_runtime.h>
#include <cstdint>
#include <vector>
#include <algorithm>

namespace quant {

__host__ __device__ inline uint32_t to_ordered(float f) {
#ifdef __CUDA_ARCH__
  const uint32_t u = __float_as_uint(f);
#else
  uint32_t u;
  __builtin_memcpy(&u, &f, 4);
#endif
  return u & 0x80000000u ? ~u : u | 0x80000000u;
}
__device__ inline float from_ordered(uint32_t u) { return __uint_as_float(u & 0x80000000u ? u & 0x7fffffffu : ~u); }

template <int CAP>
struct RowCache {
  uint32_t key[CAP];
  __device__ int count_below(uint32_t pivot, int len) const {
    int total = 0;
    for (int base = 0; base < len; base += blockDim.x) {
      const int i = base + threadIdx.x;
      total += __syncthreads_count(i < len && key[i] < pivot);
    }
    return total;
  }
};

template <int CAP>
__global__ void kth_smallest(const float* __restrict__ x, const int* __restrict__ lens, int pitch, int rows, float quantile, float* __restrict__ out) {
  __shared__ RowCache<CAP> cache;
  for (int r = blockIdx.x; r < rows; r += gridDim.x) {
    const int len = min(min(lens[r], CAP), pitch);
    if (len <= 0) {
      if (threadIdx.x == 0) out[r] = 0.f;
      continue;
    }
    for (int i = threadIdx.x; i < len; i += blockDim.x) cache.key[i] = to_ordered(x[size_t(r) * pitch + i]);
    __syncthreads();
    const int k = min(int(quantile * len), len - 1);
    uint32_t lo = 0, hi = 0xffffffffu;
    while (lo < hi) {
      const uint32_t mid = lo + (hi - lo) / 2 + 1;
      if (cache.count_below(mid, len) <= k) lo = mid;
      else hi = mid - 1;
      if (lo == hi) break;
    }
    const int smaller = cache.count_below(lo, len);
    if (threadIdx.x == 0) out[r] = smaller <= k ? from_ordered(lo) : 0.f;
  }
}

struct Options {
  float quantile = 0.5f;
  int threads = 0;   // 0: automatic
  cudaStream_t stream = nullptr;
};

cudaError_t rows_quantile(const float* x, const std::vector<int>& lens, int pitch, float* out, Options o = {}) {
  if (lens.empty() || pitch <= 0) return cudaErrorInvalidValue;
  const int longest = *std::max_element(lens.begin(), lens.end());
  if (longest > pitch || longest > 8192) return cudaErrorInvalidValue;
  o.quantile = std::clamp(o.quantile, 0.f, 1.f);
  const int threads = o.threads > 0 ? std::min(o.threads, 1024) : longest <= 256 ? 64 : 256;
  int* d = nullptr;
  cudaError_t e = cudaMallocAsync(&d, lens.size() * sizeof(int), o.stream);
  if (e != cudaSuccess) return e;
  cudaMemcpyAsync(d, lens.data(), lens.size() * sizeof(int), cudaMemcpyHostToDevice, o.stream);
  const int rows = int(lens.size()), grid = std::min(rows, 2000);
  if (longest <= 1024) kth_smallest<1024><<<grid, threads, 0, o.stream>>>(x, d, pitch, rows, o.quantile, out);
  else kth_smallest<8192><<<grid, threads, 0, o.stream>>>(x, d, pitch, rows, o.quantile, out);
  e = cudaGetLastError();
  cudaFreeAsync(d, o.stream);
  cudaStreamSynchronize(o.stream);
  return e;
}

}  // namespace quant
