#include <cooperative_groups.h>
#include <cuda/pipeline>
#include <cuda_runtime.h>
#pragma nv_diag_suppress static_var_with_dynamic_init

namespace cg = cooperative_groups;
constexpr int kStages = 4;
constexpr int kTileVec = 256;
constexpr int kProducers = 64;

__global__ void __launch_bounds__(256) weighted_reduce(const float4* __restrict__ src, const float* __restrict__ w, float* __restrict__ dst,
                                                       const int* __restrict__ tile_ptr) {
  __shared__ float4 buf[kStages][kTileVec];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  __shared__ float warp_sum[8];
  auto block = cg::this_thread_block();
  const auto role = threadIdx.x < kProducers ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
  auto pipe = cuda::make_pipeline(block, &state, role);

  const int begin = tile_ptr[blockIdx.x];
  const int end = tile_ptr[blockIdx.x + 1];
  float acc = 0.f;
  if (role == cuda::pipeline_role::producer) {
    int s = 0;
    for (int t = begin; t < end; ++t) {
      pipe.producer_acquire();
      const float4* g = src + (size_t)t * kTileVec;
      for (int v = threadIdx.x; v < kTileVec; v += kProducers)
        cuda::memcpy_async(&buf[s][v], g + v, cuda::aligned_size_t<16>(sizeof(float4)), pipe);
      pipe.producer_commit();
      s = s + 1 == kStages ? 0 : s + 1;
    }
  } else {
    const int c = threadIdx.x - kProducers;
    int s = 0;
    for (int t = begin; t < end; ++t) {
      pipe.consumer_wait();
      const float wt = w[t];
      for (int v = c; v < kTileVec; v += 256 - kProducers) {
        const float4 q = buf[s][v];
        const float4 m = buf[s][kTileVec - 1 - v];
        acc += wt * (q.x * m.w + q.y * m.z);
      }
      pipe.consumer_release();
      s = s + 1 == kStages ? 0 : s + 1;
    }
  }
  for (int o = 16; o; o >>= 1) acc += __shfl_xor_sync(~0u, acc, o);
  if (threadIdx.x % 32 == 0) warp_sum[threadIdx.x / 32] = acc;
  __syncthreads();
  if (threadIdx.x == 0) {
    float t = 0.f;
    for (int i = 0; i < 8; ++i) t += warp_sum[i];
    dst[blockIdx.x] = t;
  }
}

void launch_weighted_reduce(const float4* src, const float* w, float* dst, const int* tile_ptr, int segments, cudaStream_t st) {
  weighted_reduce<<<segments, 256, 0, st>>>(src, w, dst, tile_ptr);
}
