#include "llm/norm_rope.cuh"
#include "cutlass/fast_math.h"

namespace llm {

template <typename T>
void fused_add_rmsnorm(T* x, T* residual, const T* w, float eps, int tokens, int hidden,
                       cudaStream_t st) {
  if (hidden >= 4096)
    fused_add_rmsnorm_kernel<T, 1024><<<tokens, 1024, 0, st>>>(x, residual, w, eps, hidden);
  else
    fused_add_rmsnorm_kernel<T, 256><<<tokens, 256, 0, st>>>(x, residual, w, eps, hidden);
  LLM_CHECK(cudaGetLastError());
}

template <typename T>
void rotary_neox(T* qk, const float* cos_sin, const int64_t* pos, int tokens, int heads,
                 int head_size, int rot_dim, int64_t token_stride, cudaStream_t st) {
  if (rot_dim > head_size || rot_dim > 1024 || rot_dim % 2) abort();
  rotary_neox_kernel<T><<<dim3(tokens, heads), rot_dim, 0, st>>>(qk, cos_sin, pos, head_size, token_stride);
  LLM_CHECK(cudaGetLastError());
}

template <typename T>
void quant_groups(const T* in, int8_t* out, float* scales, int num_groups, int group,
                  cudaStream_t st) {
  constexpr int kThreads = 256;
  switch (group) {
    case 64:
      quant_groups_kernel<T, 8><<<cutlass::ceil_div(num_groups * 8, kThreads), kThreads, 0, st>>>(in, out, scales, num_groups);
      break;
    case 128:
      quant_groups_kernel<T, 16><<<cutlass::ceil_div(num_groups * 16, kThreads), kThreads, 0, st>>>(in, out, scales, num_groups);
      break;
    default:
      abort();
  }
  LLM_CHECK(cudaGetLastError());
}

#define INSTANTIATE(T)                                                                            \
  template void fused_add_rmsnorm<T>(T*, T*, const T*, float, int, int, cudaStream_t);            \
  template void rotary_neox<T>(T*, const float*, const int64_t*, int, int, int, int, int64_t,     \
                               cudaStream_t);                                                     \
  template void quant_groups<T>(const T*, int8_t*, float*, int, int, cudaStream_t);
INSTANTIATE(__half)
INSTANTIATE(__nv_bfloat16)

}  // namespace llm
