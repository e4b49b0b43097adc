#pragma once
#include "llm/common.cuh"

namespace llm {

// residual += x; x = rmsnorm(residual) * w
template <typename T, int NT>
__global__ void fused_add_rmsnorm_kernel(T* __restrict__ x, T* __restrict__ residual,
                                         const T* __restrict__ w, float eps, int hidden) {
  __shared__ float s_inv;
  T* xr = x + static_cast<int64_t>(blockIdx.x) * hidden;
  T* rr = residual + static_cast<int64_t>(blockIdx.x) * hidden;
  float ss = 0.f;
  for (int i = threadIdx.x; i < hidden; i += NT) {
    const float v = to_f(xr[i]) + to_f(rr[i]);
    rr[i] = from_f<T>(v);
    ss += v * v;
  }
  ss = block_reduce<SumOp, NT>(ss);
  if (threadIdx.x == 0) s_inv = rsqrtf(ss / hidden + eps);
  __syncthreads();
  for (int i = threadIdx.x; i < hidden; i += NT)
    xr[i] = from_f<T>(to_f(rr[i]) * s_inv * to_f(w[i]));
}

// grid: (tokens, heads), block: rot_dim threads. NeoX style, in place.
template <typename T>
__global__ void rotary_neox_kernel(T* qk, const float* __restrict__ cos_sin,
                                   const int64_t* __restrict__ positions, int head_size,
                                   int64_t token_stride) {
  const int rot_dim = blockDim.x;
  const int half = rot_dim / 2;
  const int i = threadIdx.x;
  T* head = qk + blockIdx.x * token_stride + blockIdx.y * head_size;
  const float* cs = cos_sin + positions[blockIdx.x] * rot_dim;
  const int f = i % half;
  const float c = cs[f], s = cs[half + f];
  const float self = to_f(head[i]);
  const float other = to_f(head[i < half ? i + half : i - half]);
  __syncthreads();
  head[i] = from_f<T>(i < half ? self * c - other * s : self * c + other * s);
}

// Group-wise int8 quantisation: LANES threads per group of LANES * 8 values.
template <typename T, int LANES>
__global__ void quant_groups_kernel(const T* __restrict__ in, int8_t* __restrict__ out,
                                    float* __restrict__ scales, int num_groups) {
  constexpr int kPer = 8;
  const int gid = (blockIdx.x * blockDim.x + threadIdx.x) / LANES;
  const int sub = threadIdx.x % LANES;
  const bool live = gid < num_groups;
  const int64_t base = static_cast<int64_t>(gid) * LANES * kPer + sub * kPer;
  float v[kPer];
  float amax = 0.f;
#pragma unroll
  for (int k = 0; k < kPer; ++k) {
    v[k] = live ? to_f(in[base + k]) : 0.f;
    amax = fmaxf(amax, fabsf(v[k]));
  }
#pragma unroll
  for (int m = LANES / 2; m > 0; m >>= 1)
    amax = fmaxf(amax, __shfl_xor_sync(0xffffffffu, amax, m, LANES));
  if (!live) return;
  const float scale = amax / 127.f;
  const float inv = amax > 0.f ? 127.f / amax : 0.f;
#pragma unroll
  for (int k = 0; k < kPer; ++k) out[base + k] = static_cast<int8_t>(__float2int_rn(v[k] * inv));
  if (sub == 0) scales[gid] = scale;
}

}  // namespace llm
