// MoE gating: softmax + top-k over experts, a sub-warp group of threads per token.  nvcc -arch=sm_80
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cfloat>
#include <cstdint>

namespace moe {

constexpr int kBlock = 128;

template <int TPR>
__device__ __forceinline__ unsigned group_mask() {
  static_assert(TPR <= 32 && (TPR & (TPR - 1)) == 0, "power of two");
  if constexpr (TPR == 32) {
    return 0xffffffffu;
  } else {
    return ((1u << TPR) - 1u) << (threadIdx.x & ~(TPR - 1));
  }
}

template <int TPR, typename F>
__device__ __forceinline__ float group_reduce(float v, unsigned mask, F f) {
#pragma unroll
  for (int o = TPR / 2; o > 0; o >>= 1) v = f(v, __shfl_xor_sync(mask, v, o, TPR));
  return v;
}

template <int NUM_EXPERTS, int TPR>
__global__ void __launch_bounds__(kBlock)
    topk_gating_softmax(const __nv_bfloat16 *__restrict__ logits, const bool *__restrict__ finished,
                        float *__restrict__ weights, int *__restrict__ indices, int num_rows, int k,
                        bool renormalize) {
  constexpr int VPT = NUM_EXPERTS / TPR;
  const int row = blockIdx.x * (kBlock / TPR) + threadIdx.x / TPR;
  const int sub = threadIdx.x % TPR;
  if (row >= num_rows) return;
  const unsigned mask = group_mask<TPR>();
  const bool row_is_active = finished == nullptr || !finished[row];

  float v[VPT];
  float row_max = -FLT_MAX;
#pragma unroll
  for (int i = 0; i < VPT; ++i) {
    v[i] = __bfloat162float(logits[static_cast<int64_t>(row) * NUM_EXPERTS + i * TPR + sub]);
    row_max = fmaxf(row_max, v[i]);
  }
  row_max = group_reduce<TPR>(row_max, mask, [](float a, float b) { return fmaxf(a, b); });
  float row_sum = 0.f;
#pragma unroll
  for (int i = 0; i < VPT; ++i) {
    v[i] = __expf(v[i] - row_max);
    row_sum += v[i];
  }
  row_sum = group_reduce<TPR>(row_sum, mask, [](float a, float b) { return a + b; });
  const float inv = 1.f / row_sum;

  float picked = 0.f;
  for (int j = 0; j < k; ++j) {
    float best = -1.f;
    int best_e = sub;
#pragma unroll
    for (int i = 0; i < VPT; ++i) {
      if (v[i] > best) {
        best = v[i];
        best_e = i * TPR + sub;
      }
    }
#pragma unroll
    for (int o = TPR / 2; o > 0; o >>= 1) {
      const float ov = __shfl_xor_sync(mask, best, o, TPR);
      const int oe = __shfl_xor_sync(mask, best_e, o, TPR);
      if (ov > best || (ov == best && oe < best_e)) {
        best = ov;
        best_e = oe;
      }
    }
    const float w = best * inv;
    picked += w;
    if (sub == 0) {
      weights[static_cast<int64_t>(row) * k + j] = w;
      indices[static_cast<int64_t>(row) * k + j] = row_is_active ? best_e : NUM_EXPERTS;
    }
    if (best_e % TPR == sub) {
#pragma unroll
      for (int i = 0; i < VPT; ++i)
        if (i == best_e / TPR) v[i] = -1.f;
    }
  }
  if (renormalize && sub == 0) {
    for (int j = 0; j < k; ++j) weights[static_cast<int64_t>(row) * k + j] /= picked;
  }
}

}  // namespace moe

#define LAUNCH_GATING(E, TPR)                                                                            \
  case E: {                                                                                              \
    constexpr int rows = moe::kBlock / TPR;                                                              \
    moe::topk_gating_softmax<E, TPR><<<(num_tokens + rows - 1) / rows, moe::kBlock, 0, stream>>>(        \
        logits, finished, weights, indices, num_tokens, topk, renormalize);                              \
    break;                                                                                               \
  }

void topk_softmax(const __nv_bfloat16 *logits, const bool *finished, float *weights, int *indices,
                  int num_tokens, int num_experts, int topk, bool renormalize, cudaStream_t stream) {
  switch (num_experts) {
    LAUNCH_GATING(8, 8)
    LAUNCH_GATING(16, 8)
    LAUNCH_GATING(64, 16)
    LAUNCH_GATING(256, 32)
    default: break;
  }
}
