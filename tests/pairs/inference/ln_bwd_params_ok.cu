// LayerNorm backward, gamma/beta gradients (part reduction over rows).  nvcc -arch=sm_80
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

namespace {

template <typename T> struct Cvt;
template <> struct Cvt<__half> {
  static __device__ float up(__half v) { return __half2float(v); }
};
template <> struct Cvt<__nv_bfloat16> {
  static __device__ float up(__nv_bfloat16 v) { return __bfloat162float(v); }
};

constexpr int kColsPerBlock = 32;

constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }

template <int ROWS_Y>
__device__ __forceinline__ void column_fold(float2 (*buf)[kColsPerBlock], float2 &acc) {
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
#pragma unroll
  for (int offset = ROWS_Y / 2; offset >= 1; offset /= 2) {
    if (ty >= offset && ty < 2 * offset) {
      buf[ty - offset][tx] = acc;
    }
    __syncthreads();
    if (ty < offset) {
      const float2 o = buf[ty][tx];
      acc.x += o.x;
      acc.y += o.y;
    }
    __syncthreads();
  }
}

template <typename T, int ROWS_Y>
__global__ void compute_part_grad_gamma_beta(const T *__restrict__ dout, const T *__restrict__ x,
                                             const float *__restrict__ mean,
                                             const float *__restrict__ rstd, int n_rows, int n_cols,
                                             int rows_per_part, float *__restrict__ part_gamma,
                                             float *__restrict__ part_beta) {
  __shared__ float2 buf[ROWS_Y / 2][kColsPerBlock];

  const int col = blockIdx.x * kColsPerBlock + threadIdx.x;
  const int row_begin = blockIdx.y * rows_per_part;
  const int row_end = min(row_begin + rows_per_part, n_rows);

  float2 acc = make_float2(0.f, 0.f);
  if (col < n_cols) {
    for (int r = row_begin + threadIdx.y; r < row_end; r += ROWS_Y) {
      const int64_t idx = static_cast<int64_t>(r) * n_cols + col;
      const float g = Cvt<T>::up(dout[idx]);
      acc.x += g * (Cvt<T>::up(x[idx]) - mean[r]) * rstd[r];
      acc.y += g;
    }
  }

  column_fold<ROWS_Y>(buf, acc);

  if (threadIdx.y == 0 && col < n_cols) {
    part_gamma[static_cast<int64_t>(blockIdx.y) * n_cols + col] = acc.x;
    part_beta[static_cast<int64_t>(blockIdx.y) * n_cols + col] = acc.y;
  }
}

__global__ void finish_grad_gamma_beta(const float *__restrict__ part_gamma,
                                       const float *__restrict__ part_beta, int parts, int n_cols,
                                       float *__restrict__ dgamma, float *__restrict__ dbeta) {
  for (int col = blockIdx.x * blockDim.x + threadIdx.x; col < n_cols; col += gridDim.x * blockDim.x) {
    float g = 0.f, b = 0.f;
    for (int i = 0; i < parts; ++i) {
      g += part_gamma[static_cast<int64_t>(i) * n_cols + col];
      b += part_beta[static_cast<int64_t>(i) * n_cols + col];
    }
    dgamma[col] = g;
    dbeta[col] = b;
  }
}

}  // namespace

template <typename T>
void layer_norm_backward_params(const T *dout, const T *x, const float *mean, const float *rstd, int rows,
                                int cols, float *workspace, float *dgamma, float *dbeta,
                                cudaStream_t stream) {
  constexpr int kRowsY = 8;
  const int parts = std::min(16, ceil_div(rows, kRowsY));
  const int rows_per_part = ceil_div(rows, parts);
  float *pg = workspace;
  float *pb = workspace + static_cast<int64_t>(parts) * cols;
  dim3 grid(ceil_div(cols, kColsPerBlock), parts);
  dim3 block(kColsPerBlock, kRowsY);
  compute_part_grad_gamma_beta<T, kRowsY>
      <<<grid, block, 0, stream>>>(dout, x, mean, rstd, rows, cols, rows_per_part, pg, pb);
  finish_grad_gamma_beta<<<std::min(ceil_div(cols, 256), 128), 256, 0, stream>>>(pg, pb, parts, cols, dgamma,
                                                                               dbeta);
}

template void layer_norm_backward_params<__half>(const __half *, const __half *, const float *, const float *,
                                                 int, int, float *, float *, float *, cudaStream_t);
template void layer_norm_backward_params<__nv_bfloat16>(const __nv_bfloat16 *, const __nv_bfloat16 *,
                                                        const float *, const float *, int, int, float *,
                                                        float *, float *, cudaStream_t);
