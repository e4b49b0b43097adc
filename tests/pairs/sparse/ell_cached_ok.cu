// ELLPACK SpMV for banded matrices: the part of x used by a block of rows is
// staged in shared memory, tile by tile.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>
#include <vector>

namespace ell {

constexpr int kRowsPerBlock = 128;
constexpr int kTile = 512;

struct Matrix {
  int rows, cols, width, pitch;
  const int* col;    // pitch * width, column major, -1 marks padding
  const float* val;
};

struct Span { int lo, hi; };

__device__ __forceinline__ Span columnSpan(const int* lo, const int* hi) {
  return Span{lo[blockIdx.x], hi[blockIdx.x]};
}

__global__ void spmv(Matrix A, const int* __restrict__ blkLo, const int* __restrict__ blkHi,
                     const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float xs[kTile];
  const int row = blockIdx.x * kRowsPerBlock + threadIdx.x;
  const Span span = columnSpan(blkLo, blkHi);

  float sum = 0.f;
  int k = 0;  // columns of a row are sorted
  for (int base = span.lo; base < span.hi; base += kTile) {
    const int len = min(kTile, span.hi - base);
    for (int j = threadIdx.x; j < len; j += kRowsPerBlock) xs[j] = x[base + j];
    __syncthreads();
    while (row < A.rows && k < A.width) {
      const int c = A.col[(size_t)k * A.pitch + row];
      if (c < 0 || c >= base + len) break;
      sum += A.val[(size_t)k * A.pitch + row] * xs[c - base];
      ++k;
    }
    __syncthreads();
  }
  if (row < A.rows) y[row] = sum;
}

__global__ void axpby(int n, float a, const float* x, float b, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = a * x[i] + b * y[i];
}

}  // namespace ell

int main() {
  using namespace ell;
  const int rows = 100000, width = 7;
  const int offs[width] = {-700, -30, -1, 0, 1, 30, 700};
  const int pitch = (rows + 31) / 32 * 32;
  const int blocks = (rows + kRowsPerBlock - 1) / kRowsPerBlock;
  std::vector<int> col((size_t)pitch * width, -1), lo(blocks, rows), hi(blocks, 0);
  std::vector<float> val((size_t)pitch * width, 0.f);
  for (int r = 0; r < rows; ++r) {
    int k = 0;
    for (int o : offs) {
      const int c = r + o;
      if (c < 0 || c >= rows) continue;
      col[(size_t)k * pitch + r] = c;
      val[(size_t)k * pitch + r] = o == 0 ? 6.f : -1.f;
      const int b = r / kRowsPerBlock;
      lo[b] = std::min(lo[b], c);
      hi[b] = std::max(hi[b], c + 1);
      ++k;
    }
  }
  int *dCol, *dLo, *dHi;
  float *dVal, *dX, *dY;
  cudaMalloc(&dCol, col.size() * sizeof(int));
  cudaMalloc(&dVal, val.size() * sizeof(float));
  cudaMalloc(&dLo, blocks * sizeof(int));
  cudaMalloc(&dHi, blocks * sizeof(int));
  cudaMalloc(&dX, rows * sizeof(float));
  cudaMalloc(&dY, rows * sizeof(float));
  cudaMemcpy(dCol, col.data(), col.size() * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(dVal, val.data(), val.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(dLo, lo.data(), blocks * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(dHi, hi.data(), blocks * sizeof(int), cudaMemcpyHostToDevice);
  std::vector<float> x(rows, 1.f);
  cudaMemcpy(dX, x.data(), rows * sizeof(float), cudaMemcpyHostToDevice);
  const Matrix A{rows, rows, width, pitch, dCol, dVal};
  for (int it = 0; it < 50; ++it) {
    spmv<<<blocks, kRowsPerBlock>>>(A, dLo, dHi, dX, dY);
    axpby<<<(rows + 255) / 256, 256>>>(rows, -0.1f, dY, 1.f, dX);
  }
  cudaMemcpy(x.data(), dX, rows * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("%s x0=%g\n", cudaGetErrorString(cudaGetLastError()), x[0]);
  return 0;
}
