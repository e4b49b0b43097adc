#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <algorithm>

namespace gemv {

template <int BLOCK_, int STAGES_>
struct Policy {
  static constexpr int BLOCK = BLOCK_;
  static constexpr int STAGES = STAGES_;
  static constexpr int TILE = BLOCK * 4;
};

struct Args {
  const float* mat;    // rows x cols, cols a multiple of 4
  const float* vec;
  float* out;
  int rows;
  int cols;
};

template <class P>
struct alignas(16) Smem {
  float4 m[P::STAGES][P::BLOCK];
  float4 v[P::STAGES][P::BLOCK];
  float warp[P::BLOCK / 32];
};

template <class P>
__device__ __forceinline__ void issue(Smem<P>& sm, int slot, const float* row, const float* vec, int tile, int cols) {
  const int c = tile * P::TILE + threadIdx.x * 4;
  if (c < cols) {
    __pipeline_memcpy_async(&sm.m[slot][threadIdx.x], row + c, 16);
    __pipeline_memcpy_async(&sm.v[slot][threadIdx.x], vec + c, 16);
  }
}

__device__ __forceinline__ float dot4(const float4& a, const float4& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

template <class P>
__device__ __forceinline__ float block_sum(Smem<P>& sm, float v) {
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
  if (threadIdx.x % 32 == 0) sm.warp[threadIdx.x / 32] = v;
  __syncthreads();
  float t = 0.f;
#pragma unroll
  for (int w = 0; w < P::BLOCK / 32; ++w) t += sm.warp[w];
  __syncthreads();
  return t;
}

// Every thread reads back only the vectors it copied itself.
template <class P>
__global__ void __launch_bounds__(P::BLOCK) gemv_kernel(Args a) {
  __shared__ Smem<P> sm;
  const int tiles = (a.cols + P::TILE - 1) / P::TILE;
  for (int r = blockIdx.x; r < a.rows; r += gridDim.x) {
    const float* row = a.mat + size_t(r) * a.cols;
#pragma unroll
    for (int s = 0; s < P::STAGES - 1; ++s) {
      if (s < tiles) issue<P>(sm, s, row, a.vec, s, a.cols);
      __pipeline_commit();
    }
    float acc = 0.f;
    for (int t = 0; t < tiles; ++t) {
      const int next = t + P::STAGES - 1;
      if (next < tiles) issue<P>(sm, next % P::STAGES, row, a.vec, next, a.cols);
      __pipeline_commit();
      __pipeline_wait_prior(P::STAGES - 1);
      const int slot = t % P::STAGES;
      if (t * P::TILE + int(threadIdx.x) * 4 < a.cols)
        acc += dot4(sm.m[slot][threadIdx.x], sm.v[slot][threadIdx.x]);
    }
    __pipeline_wait_prior(0);
    acc = block_sum<P>(sm, acc);
    if (threadIdx.x == 0) a.out[r] = acc;
  }
}

template <class P>
cudaError_t launch(const Args& a, cudaStream_t s) {
  int dev = 0, sms = 0, occ = 0;
  cudaGetDevice(&dev);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&occ, gemv_kernel<P>, P::BLOCK, 0);
  const int grid = std::max(1, std::min(a.rows, sms * std::max(1, occ)));
  gemv_kernel<P><<<grid, P::BLOCK, 0, s>>>(a);
  return cudaGetLastError();
}

cudaError_t gemv(const Args& a, cudaStream_t s) {
  if (a.cols % 4 != 0 || a.rows <= 0) return cudaErrorInvalidValue;
  if (a.cols >= 8192) return launch<Policy<256, 4>>(a, s);
  return launch<Policy<128, 3>>(a, s);
}

}  // namespace gemv
