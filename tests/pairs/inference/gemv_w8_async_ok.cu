// W8A16 GEMV, activations staged through a two-stage async copy pipeline.  nvcc -arch=sm_80
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

namespace w8 {

constexpr int kThreads = 128;
constexpr int kChunk = 1024;  // activations per stage
constexpr int kRowsPerBlock = kThreads / 32;

struct W8Params {
  const int8_t *w;       // [n, k]
  const __half *scale;   // [n]
  const __half *x;       // [k]
  __half *y;             // [n]
  int n, k;
};

__device__ __forceinline__ void stage_x(__half *dst, const __half *x, int k0, int k) {
  constexpr int kVec = 8;
  for (int i = threadIdx.x * kVec; i < kChunk; i += kThreads * kVec) {
    if (k0 + i < k) __pipeline_memcpy_async(dst + i, x + k0 + i, kVec * sizeof(__half));
  }
  __pipeline_commit();
}

__device__ __forceinline__ float dot8(const int8_t *w, const __half *x) {
  const int2 raw = *reinterpret_cast<const int2 *>(w);
  const char4 a = *reinterpret_cast<const char4 *>(&raw.x);
  const char4 b = *reinterpret_cast<const char4 *>(&raw.y);
  const float2 x0 = __half22float2(*reinterpret_cast<const __half2 *>(x));
  const float2 x1 = __half22float2(*reinterpret_cast<const __half2 *>(x + 2));
  const float2 x2 = __half22float2(*reinterpret_cast<const __half2 *>(x + 4));
  const float2 x3 = __half22float2(*reinterpret_cast<const __half2 *>(x + 6));
  return a.x * x0.x + a.y * x0.y + a.z * x1.x + a.w * x1.y + b.x * x2.x + b.y * x2.y + b.z * x3.x + b.w * x3.y;
}

template <bool kResidual>
__global__ void __launch_bounds__(kThreads) gemv_w8(const W8Params p, const __half *residual) {
  __shared__ __align__(16) __half s_x[2][kChunk];

  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const int row = blockIdx.x * kRowsPerBlock + warp;
  const bool row_ok = row < p.n;
  const int8_t *w = p.w + static_cast<int64_t>(row_ok ? row : 0) * p.k;
  const int chunks = (p.k + kChunk - 1) / kChunk;

  float acc = 0.f;
  stage_x(s_x[0], p.x, 0, p.k);
  for (int c = 0; c < chunks; ++c) {
    if (c + 1 < chunks) {
      stage_x(s_x[(c + 1) & 1], p.x, (c + 1) * kChunk, p.k);
      __pipeline_wait_prior(1);
    } else {
      __pipeline_wait_prior(0);
    }
    __syncthreads();
    const int n = min(kChunk, p.k - c * kChunk);
    if (row_ok) {
      for (int i = lane * 8; i < n; i += 32 * 8) acc += dot8(w + c * kChunk + i, &s_x[c & 1][i]);
    }
    __syncthreads();
  }

#pragma unroll
  for (int o = 16; o > 0; o >>= 1) acc += __shfl_down_sync(0xffffffffu, acc, o);
  if (lane == 0 && row_ok) {
    float r = acc * __half2float(p.scale[row]);
    if (kResidual) r += __half2float(residual[row]);
    p.y[row] = __float2half(r);
  }
}

}  // namespace w8

// k % 8 == 0
bool gemv_w8a16(const w8::W8Params &p, const __half *residual, cudaStream_t stream) {
  if (p.k % 8 != 0) return false;
  const int grid = (p.n + w8::kRowsPerBlock - 1) / w8::kRowsPerBlock;
  if (residual != nullptr)
    w8::gemv_w8<true><<<grid, w8::kThreads, 0, stream>>>(p, residual);
  else
    w8::gemv_w8<false><<<grid, w8::kThreads, 0, stream>>>(p, nullptr);
  return true;
}
