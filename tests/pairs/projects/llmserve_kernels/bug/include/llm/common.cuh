#pragma once
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define LLM_CHECK(expr)                                                            \
  do {                                                                             \
    cudaError_t e_ = (expr);                                                       \
    if (e_ != cudaSuccess) {                                                       \
      fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_));   \
      abort();                                                                     \
    }                                                                              \
  } while (0)

#define LLM_DISPATCH_HEAD(HEAD, ...)                               \
  [&] {                                                            \
    switch (HEAD) {                                                \
      case 64: { constexpr int kHead = 64; return __VA_ARGS__(); } \
      case 128: { constexpr int kHead = 128; return __VA_ARGS__(); } \
      default: fprintf(stderr, "unsupported head size %d\n", HEAD); abort(); \
    }                                                              \
  }()

namespace llm {

constexpr int kWarp = 32;

template <typename T> __device__ __forceinline__ float to_f(T v) { return static_cast<float>(v); }
template <> __device__ __forceinline__ float to_f<__half>(__half v) { return __half2float(v); }
template <> __device__ __forceinline__ float to_f<__nv_bfloat16>(__nv_bfloat16 v) { return __bfloat162float(v); }
template <typename T> __device__ __forceinline__ T from_f(float v) { return static_cast<T>(v); }
template <> __device__ __forceinline__ __half from_f<__half>(float v) { return __float2half_rn(v); }
template <> __device__ __forceinline__ __nv_bfloat16 from_f<__nv_bfloat16>(float v) { return __float2bfloat16_rn(v); }

struct SumOp { __device__ float operator()(float a, float b) const { return a + b; } static constexpr float kInit = 0.f; };
struct MaxOp { __device__ float operator()(float a, float b) const { return fmaxf(a, b); } static constexpr float kInit = -3.0e38f; };

template <class Op>
__device__ __forceinline__ float warp_reduce(float v) {
#pragma unroll
  for (int m = kWarp / 2; m > 0; m >>= 1) v = Op()(v, __shfl_xor_sync(0xffffffffu, v, m));
  return v;
}

template <class Op, int NT>
__device__ float block_reduce(float v) {
  static_assert(NT % kWarp == 0 && NT <= 1024, "");
  __shared__ float red[NT / kWarp];
  const int lane = threadIdx.x % kWarp, wid = threadIdx.x / kWarp;
  v = warp_reduce<Op>(v);
  if (lane == 0) red[wid] = v;
  __syncthreads();
  v = lane < NT / kWarp ? red[lane] : Op::kInit;
  v = warp_reduce<Op>(v);
  __syncthreads();
  return v;
}

}  // namespace llm
