// Multi-tensor gradient norm (last block finishes) and clipping scale.  nvcc -arch=sm_80
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

namespace clip {

constexpr int kThreads = 256;
constexpr int kMaxTensors = 64;

struct TensorListMeta {
  const __nv_bfloat16 *grads[kMaxTensors];
  int64_t sizes[kMaxTensors];
  int count;
};

struct NormWorkspace {
  float *partials;       // [max grid]
  unsigned int *ticket;  // zero on entry, left zero
};

__device__ __forceinline__ float warp_sum(float v) {
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  return v;
}

// valid in thread 0
__device__ float block_sum(float v, float *scratch) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  v = warp_sum(v);
  if (lane == 0) scratch[warp] = v;
  __syncthreads();
  if (warp == 0) v = warp_sum(lane < kThreads / 32 ? scratch[lane] : 0.f);
  __syncthreads();
  return v;
}

__global__ void __launch_bounds__(kThreads)
    multi_tensor_l2norm(TensorListMeta meta, NormWorkspace ws, float max_norm, float *total_norm, float *clip_coef) {
  __shared__ float scratch[kThreads / 32];
  __shared__ bool s_is_last;

  float sum = 0.f;
  for (int t = 0; t < meta.count; ++t) {
    const __nv_bfloat16 *g = meta.grads[t];
    for (int64_t i = blockIdx.x * static_cast<int64_t>(kThreads) + threadIdx.x; i < meta.sizes[t];
         i += static_cast<int64_t>(gridDim.x) * kThreads) {
      const float v = __bfloat162float(g[i]);
      sum += v * v;
    }
  }
  sum = block_sum(sum, scratch);

  if (threadIdx.x == 0) {
    ws.partials[blockIdx.x] = sum;
    const unsigned int done = atomicAdd(ws.ticket, 1u);
    s_is_last = done == gridDim.x - 1;
  }
  __syncthreads();
  if (!s_is_last) return;

  __threadfence();
  float total = 0.f;
  for (int i = threadIdx.x; i < static_cast<int>(gridDim.x); i += kThreads) total += __ldcg(ws.partials + i);
  total = block_sum(total, scratch);
  if (threadIdx.x == 0) {
    const float norm = sqrtf(total);
    *total_norm = norm;
    *clip_coef = fminf(1.f, max_norm / (norm + 1e-6f));
    *ws.ticket = 0;
  }
}

__global__ void __launch_bounds__(kThreads)
    multi_tensor_scale(TensorListMeta meta, __nv_bfloat16 *const *out, const float *clip_coef) {
  const float c = *clip_coef;
  for (int t = 0; t < meta.count; ++t) {
    for (int64_t i = blockIdx.x * static_cast<int64_t>(kThreads) + threadIdx.x; i < meta.sizes[t];
         i += static_cast<int64_t>(gridDim.x) * kThreads)
      out[t][i] = __float2bfloat16(__bfloat162float(meta.grads[t][i]) * c);
  }
}

}  // namespace clip

void clip_grad_norm_(const clip::TensorListMeta &meta, __nv_bfloat16 *const *out, clip::NormWorkspace ws,
                     float max_norm, float *total_norm, float *clip_coef, int num_sms, cudaStream_t stream) {
  int64_t largest = 0;
  for (int t = 0; t < meta.count; ++t) largest = std::max(largest, meta.sizes[t]);
  const int64_t want = (largest + clip::kThreads - 1) / clip::kThreads;
  const int grid = static_cast<int>(std::max<int64_t>(1, std::min<int64_t>(want, 4 * num_sms)));
  clip::multi_tensor_l2norm<<<grid, clip::kThreads, 0, stream>>>(meta, ws, max_norm, total_norm, clip_coef);
  clip::multi_tensor_scale<<<grid, clip::kThreads, 0, stream>>>(meta, out, clip_coef);
}
