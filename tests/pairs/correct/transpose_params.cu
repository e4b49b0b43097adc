// Batched tiled transpose. Launch geometry comes from a params struct.
#include <cuda_runtime.h>
#include <cassert>
#include <cstdint>

namespace tr {

struct Params {
  int rows, cols, batch;
  int64_t in_stride, out_stride;   // elements between matrices
  dim3 grid, block;
};

template <int DIM, int ROWS> struct Traits {
  static constexpr int kDim = DIM;
  static constexpr int kRows = ROWS;
  static constexpr int kPitch = DIM + 1;
  static_assert(DIM % ROWS == 0, "tile must be a multiple of the block rows");
};

using Big = Traits<32, 8>;
using Small = Traits<16, 16>;

template <typename Tr, typename T>
__global__ void transpose(const T* __restrict__ in, T* __restrict__ out, Params p) {
  __shared__ T tile[Tr::kDim * Tr::kPitch];
  for (int b = blockIdx.z; b < p.batch; b += gridDim.z) {
    const T* src = in + b * p.in_stride;
    T* dst = out + b * p.out_stride;
    int x = blockIdx.x * Tr::kDim + threadIdx.x;
    int y = blockIdx.y * Tr::kDim + threadIdx.y;
#pragma unroll
    for (int k = 0; k < Tr::kDim; k += Tr::kRows)
      if (x < p.cols && y + k < p.rows)
        tile[(threadIdx.y + k) * Tr::kPitch + threadIdx.x] = src[int64_t(y + k) * p.cols + x];
    __syncthreads();
    x = blockIdx.y * Tr::kDim + threadIdx.x;
    y = blockIdx.x * Tr::kDim + threadIdx.y;
#pragma unroll
    for (int k = 0; k < Tr::kDim; k += Tr::kRows)
      if (x < p.rows && y + k < p.cols)
        dst[int64_t(y + k) * p.rows + x] = tile[threadIdx.x * Tr::kPitch + threadIdx.y + k];
    __syncthreads();
  }
}

template <typename Tr>
Params make_params(int rows, int cols, int batch) {
  Params p{};
  p.rows = rows;
  p.cols = cols;
  p.batch = batch;
  p.in_stride = int64_t(rows) * cols;
  p.out_stride = p.in_stride;
  p.block = dim3(Tr::kDim, Tr::kRows);
  p.grid = dim3((cols + Tr::kDim - 1) / Tr::kDim, (rows + Tr::kDim - 1) / Tr::kDim, batch < 64 ? batch : 64);
  return p;
}

template <typename Tr, typename T>
void run(const T* in, T* out, int rows, int cols, int batch, cudaStream_t s) {
  const Params p = make_params<Tr>(rows, cols, batch);
  transpose<Tr><<<p.grid, p.block, 0, s>>>(in, out, p);
}

template <typename T>
cudaError_t transpose_batched(const T* in, T* out, int rows, int cols, int batch, cudaStream_t s = nullptr) {
  if (rows <= 0 || cols <= 0 || batch <= 0 || in == out) return cudaErrorInvalidValue;
  if (rows <= 16 || cols <= 16)
    run<Small>(in, out, rows, cols, batch, s);
  else
    run<Big>(in, out, rows, cols, batch, s);
  return cudaGetLastError();
}

}  // namespace tr

int main() {
  double *a = nullptr, *b = nullptr;
  const int R = 70, C = 1001, B = 100;
  cudaMalloc(&a, sizeof(double) * R * C * B);
  cudaMalloc(&b, sizeof(double) * R * C * B);
  cudaMemset(a, 0, sizeof(double) * R * C * B);
  tr::transpose_batched(a, b, R, C, B);
  tr::transpose_batched(b, a, 9, C, B);
  cudaError_t e = cudaDeviceSynchronize();
  cudaFree(a);
  cudaFree(b);
  return e == cudaSuccess ? 0 : 1;
}
