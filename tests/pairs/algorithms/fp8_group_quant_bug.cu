// Per-group fp8 quantisation with a transposed store through shared memory.
#include <cuda_runtime.h>
#include <cuda_fp8.h>
#include <cuda_bf16.h>
#include <cstdio>

namespace fp8q {

constexpr int kGroup = 128;  // columns in a group, one thread each
constexpr int kRows = 16;    // rows handled by a block
constexpr float kFp8Max = 448.f;

union Smem {
  float amax[kRows][kGroup / 32];
  unsigned char tile[kGroup][kRows];
};

struct Args {
  const __nv_bfloat16* x;  // [rows, cols]
  unsigned char* qt;       // [cols, rows] fp8 e4m3
  float* scale;            // [rows, cols / kGroup]
  int rows, cols;
};

__device__ __forceinline__ float warp_absmax(float v) {
  v = fabsf(v);
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, o));
  return v;
}

__global__ void __launch_bounds__(kGroup) quant_transpose(Args a) {
  __shared__ Smem sm;
  const int row0 = blockIdx.y * kRows;
  const int col = blockIdx.x * kGroup + threadIdx.x;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const int ngroup = a.cols / kGroup;

  float v[kRows];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const int row = row0 + r;
    v[r] = row < a.rows ? __bfloat162float(a.x[(size_t)row * a.cols + col]) : 0.f;
    const float m = warp_absmax(v[r]);
    if (lane == 0) sm.amax[r][warp] = m;
  }
  __syncthreads();

  float inv[kRows];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    float m = 0.f;
#pragma unroll
    for (int w = 0; w < kGroup / 32; ++w) m = fmaxf(m, sm.amax[r][w]);
    const float s = fmaxf(m, 1e-12f) / kFp8Max;
    inv[r] = 1.f / s;
    if (threadIdx.x == 0 && row0 + r < a.rows) a.scale[(size_t)(row0 + r) * ngroup + blockIdx.x] = s;
  }

#pragma unroll
  for (int r = 0; r < kRows; ++r)
    sm.tile[threadIdx.x][r] = __nv_cvt_float_to_fp8(v[r] * inv[r], __NV_SATFINITE, __NV_E4M3);
  __syncthreads();

  for (int i = threadIdx.x; i < kGroup * kRows; i += kGroup) {
    const int c = i / kRows, r = i % kRows;
    if (row0 + r < a.rows) a.qt[(size_t)(blockIdx.x * kGroup + c) * a.rows + row0 + r] = sm.tile[c][r];
  }
}

cudaError_t run(const Args& a, cudaStream_t s) {
  if (a.cols % kGroup != 0) return cudaErrorInvalidValue;
  if (a.rows == 0 || a.cols == 0) return cudaSuccess;
  dim3 grid(a.cols / kGroup, (a.rows + kRows - 1) / kRows);
  if (grid.y > 65535) return cudaErrorInvalidConfiguration;
  quant_transpose<<<grid, kGroup, 0, s>>>(a);
  return cudaGetLastError();
}

}  // namespace fp8q

int main() {
  fp8q::Args a{};
  a.rows = 1000;
  a.cols = 4096;
  __nv_bfloat16* x;
  if (cudaMalloc(&x, sizeof(*x) * (size_t)a.rows * a.cols)) return 1;
  cudaMemset(x, 0, sizeof(*x) * (size_t)a.rows * a.cols);
  a.x = x;
  cudaMalloc(&a.qt, (size_t)a.rows * a.cols);
  cudaMalloc(&a.scale, sizeof(float) * a.rows * (a.cols / fp8q::kGroup));
  cudaError_t e = fp8q::run(a, 0);
  if (e == cudaSuccess) e = cudaDeviceSynchronize();
  if (e != cudaSuccess) fprintf(stderr, "%s\n", cudaGetErrorString(e));
  return e != cudaSuccess;
}
