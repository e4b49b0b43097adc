#include <cuda_runtime.h>
#include <algorithm>
#include <cstdint>

namespace stats {

template <typename T>
__host__ __device__ constexpr T ceil_div(T a, T b) { return (a + b - 1) / b; }

template <int BLOCK>
struct BlockSum {
  static constexpr int kWarps = BLOCK / 32;
  struct TempStorage {
    float warp_part[kWarps];
  };
  TempStorage& ts;
  __device__ explicit BlockSum(TempStorage& t) : ts(t) {}

  // Result valid in every thread.
  __device__ float Sum(float v) {
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    if (lane == 0) ts.warp_part[warp] = v;
    __syncthreads();
    float r = 0.f;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) r += ts.warp_part[w];
    __syncthreads();
    return r;
  }
};

struct ChunkParams {
  const float* __restrict__ in;
  float* __restrict__ chunk_mean;
  float* __restrict__ block_peak;
  int n;
};

template <typename Policy>
__global__ void __launch_bounds__(Policy::kBlock) chunk_mean_kernel(ChunkParams p) {
  constexpr int BLOCK = Policy::kBlock;
  using Reduce = BlockSum<BLOCK>;
  __shared__ union {
    typename Reduce::TempStorage reduce;
    float peak[BLOCK];
  } smem;

  float peak = -3.4e38f;
  const int stride = gridDim.x * BLOCK;
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i - int(threadIdx.x) < p.n; i += stride) {
    const float v = i < p.n ? p.in[i] : 0.f;
    const int first = i - threadIdx.x;
    const int len = min(BLOCK, p.n - first);
    const float s = Reduce(smem.reduce).Sum(v);
    const float mean = s / float(len);
    if (threadIdx.x == 0) p.chunk_mean[first / BLOCK] = mean;
    peak = fmaxf(peak, fabsf(v - mean));
  }

  __syncthreads();
  smem.peak[threadIdx.x] = peak;
  __syncthreads();
  if (threadIdx.x < 32) {
    float m = smem.peak[threadIdx.x];
    for (int k = threadIdx.x + 32; k < BLOCK; k += 32) m = fmaxf(m, smem.peak[k]);
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
    if (threadIdx.x == 0) p.block_peak[blockIdx.x] = m;
  }
}

struct Policy256 { static constexpr int kBlock = 256; };
struct Policy128 { static constexpr int kBlock = 128; };

template <typename Policy>
static cudaError_t launch(const ChunkParams& p, int max_blocks, cudaStream_t s) {
  const int grid = std::max(1, std::min(ceil_div(p.n, Policy::kBlock), max_blocks));
  chunk_mean_kernel<Policy><<<grid, Policy::kBlock, 0, s>>>(p);
  return cudaGetLastError();
}

}  // namespace stats

cudaError_t chunk_means(const float* in, float* mean, float* peak, int n, int sms, cudaStream_t s) {
  stats::ChunkParams p{in, mean, peak, n};
  return n > 4096 ? stats::launch<stats::Policy256>(p, 2 * sms, s)
                  : stats::launch<stats::Policy128>(p, sms, s);
}
