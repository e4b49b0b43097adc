// Per-token-group fp8 quantisation, 16 threads per group.  nvcc -arch=sm_80
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace quant {

constexpr int kThreadsPerGroup = 16;

template <typename T> __device__ __forceinline__ float to_f(T v);
template <> __device__ __forceinline__ float to_f<__half>(__half v) { return __half2float(v); }
template <> __device__ __forceinline__ float to_f<__nv_bfloat16>(__nv_bfloat16 v) { return __bfloat162float(v); }

__device__ __forceinline__ float GroupReduceMax(float val) {
  const unsigned mask = 0xffff;
  val = fmaxf(val, __shfl_xor_sync(mask, val, 8));
  val = fmaxf(val, __shfl_xor_sync(mask, val, 4));
  val = fmaxf(val, __shfl_xor_sync(mask, val, 2));
  val = fmaxf(val, __shfl_xor_sync(mask, val, 1));
  return val;
}

template <typename T, bool kColumnMajorScale, bool kPow2Scale>
__global__ void per_token_group_quant_fp8(const T *__restrict__ input, __nv_fp8_e4m3 *__restrict__ output,
                                          float *__restrict__ scales, int group_size, int num_groups,
                                          int groups_per_block, float eps, float fp8_max, int groups_per_row,
                                          int scale_stride) {
  constexpr int kVec = 16 / sizeof(T);
  const int64_t local = threadIdx.x / kThreadsPerGroup;
  const int lane = threadIdx.x % kThreadsPerGroup;
  const int64_t group = static_cast<int64_t>(blockIdx.x) * groups_per_block + local;

  const T *in = input + group * group_size;
  __nv_fp8_e4m3 *out = output + group * group_size;

  float absmax = eps;
  const int n_vec = group_size / kVec;
  for (int i = lane; i < n_vec; i += kThreadsPerGroup) {
    const uint4 raw = *reinterpret_cast<const uint4 *>(in + i * kVec);
    const T *e = reinterpret_cast<const T *>(&raw);
#pragma unroll
    for (int j = 0; j < kVec; ++j) absmax = fmaxf(absmax, fabsf(to_f<T>(e[j])));
  }
  absmax = GroupReduceMax(absmax);

  float scale = absmax / fp8_max;
  if constexpr (kPow2Scale) scale = exp2f(ceilf(log2f(fmaxf(scale, 1e-10f))));
  if (lane == 0) {
    if constexpr (kColumnMajorScale)
      scales[(group % groups_per_row) * scale_stride + group / groups_per_row] = scale;
    else
      scales[group] = scale;
  }

  const float inv = 1.f / scale;
  for (int i = lane; i < n_vec; i += kThreadsPerGroup) {
    const uint4 raw = *reinterpret_cast<const uint4 *>(in + i * kVec);
    const T *e = reinterpret_cast<const T *>(&raw);
#pragma unroll
    for (int j = 0; j < kVec; ++j) {
      const float q = fminf(fmaxf(to_f<T>(e[j]) * inv, -fp8_max), fp8_max);
      out[i * kVec + j] = __nv_fp8_e4m3(q);
    }
  }
}

template <typename T>
void launch(const T *in, __nv_fp8_e4m3 *out, float *scales, int tokens, int hidden, int group_size,
            bool column_major, bool ue8m0, cudaStream_t stream) {
  const int groups_per_row = hidden / group_size;
  const int num_groups = tokens * groups_per_row;
  int gpb = 1;
  for (int c : {16, 8, 4, 2})
    if (num_groups % c == 0) {
      gpb = c;
      break;
    }
  const int grid = num_groups / gpb, block = gpb * kThreadsPerGroup;
#define QUANT_LAUNCH(CM, P2)                                                                                  \
  per_token_group_quant_fp8<T, CM, P2><<<grid, block, 0, stream>>>(in, out, scales, group_size, num_groups, gpb, \
                                                                  1e-10f, 448.f, groups_per_row, tokens)
  if (column_major) {
    if (ue8m0) QUANT_LAUNCH(true, true);
    else QUANT_LAUNCH(true, false);
  } else {
    if (ue8m0) QUANT_LAUNCH(false, true);
    else QUANT_LAUNCH(false, false);
  }
#undef QUANT_LAUNCH
}

}  // namespace quant

// hidden % group_size == 0, group_size % 8 == 0
void per_token_group_quant(const void *in, bool is_bf16, void *out, float *scales, int tokens, int hidden,
                           int group_size, bool column_major, bool ue8m0, cudaStream_t stream) {
  if (tokens == 0) return;
  auto *q = static_cast<__nv_fp8_e4m3 *>(out);
  if (is_bf16)
    quant::launch(static_cast<const __nv_bfloat16 *>(in), q, scales, tokens, hidden, group_size, column_major, ue8m0, stream);
  else
    quant::launch(static_cast<const __half *>(in), q, scales, tokens, hidden, group_size, column_major, ue8m0, stream);
}
