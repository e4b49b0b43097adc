// GEMV with a tuning map keyed by column count; every entry is a legal block shape.
#include <cuda_runtime.h>
#include <map>
#include <optional>
#include <algorithm>
#include <cassert>

namespace blas2 {

struct Tuning {
  int rows_per_block;      // threadIdx.y
  int threads_per_row;     // threadIdx.x, power of two
};

class TuningMap {
 public:
  std::optional<Tuning> exact(int cols) const {
    auto it = table_.find(cols);
    if (it == table_.end()) return std::nullopt;
    return it->second;
  }
  Tuning pick(int cols) const {
    if (auto t = exact(cols)) return *t;
    int x = 1;
    while (x < 256 && x * 4 <= cols) x *= 2;
    return {std::max(1, 128 / x), x};
  }
 private:
  std::map<int, Tuning> table_{{64, {8, 16}}, {100, {4, 32}}, {1024, {2, 128}}, {4096, {1, 512}}};
};

template <typename T>
__global__ void gemv(const T* __restrict__ A, const T* __restrict__ x, T* __restrict__ y, int rows, int cols, int lda) {
  extern __shared__ __align__(16) unsigned char raw[];
  T* row_buf = reinterpret_cast<T*>(raw) + threadIdx.y * blockDim.x;
  const int r = blockIdx.x * blockDim.y + threadIdx.y;
  T acc = T(0);
  if (r < rows) {
    const T* a = A + size_t(r) * lda;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) acc += a[c] * x[c];
  }
  row_buf[threadIdx.x] = acc;
  __syncthreads();
  for (int w = blockDim.x >> 1; w > 0; w >>= 1) {
    if (threadIdx.x < w) row_buf[threadIdx.x] += row_buf[threadIdx.x + w];
    __syncthreads();
  }
  if (threadIdx.x == 0 && r < rows) y[r] = row_buf[0];
}

template <typename T>
class Gemv {
 public:
  cudaError_t operator()(const T* A, const T* x, T* y, int rows, int cols, int lda = 0, cudaStream_t s = nullptr) const {
    if (rows <= 0 || cols <= 0 || x == y) return cudaErrorInvalidValue;
    if (lda == 0) lda = cols;
    if (lda < cols) return cudaErrorInvalidValue;
    const Tuning t = map_.pick(cols);
    assert((t.threads_per_row & (t.threads_per_row - 1)) == 0);
    const dim3 block(t.threads_per_row, t.rows_per_block);
    const unsigned grid = (rows + block.y - 1) / block.y;
    gemv<T><<<grid, block, sizeof(T) * block.x * block.y, s>>>(A, x, y, rows, cols, lda);
    return cudaGetLastError();
  }
 private:
  TuningMap map_;
};

}  // namespace blas2

int main() {
  float *A, *x, *y;
  cudaMalloc(&A, sizeof(float) * 3000 * 4096);
  cudaMalloc(&x, sizeof(float) * 4096);
  cudaMalloc(&y, sizeof(float) * 3000);
  cudaMemset(A, 0, sizeof(float) * 3000 * 4096);
  cudaMemset(x, 0, sizeof(float) * 4096);
  blas2::Gemv<float> mv;
  int bad = 0;
  for (int c : {1, 7, 64, 100, 333, 1024, 4096}) bad += mv(A, x, y, 3000, c) != cudaSuccess;
  bad += mv(A, x, y, 999, 50, 4096) != cudaSuccess;
  bad += cudaDeviceSynchronize() != cudaSuccess;
  cudaFree(A);
  cudaFree(x);
  cudaFree(y);
  return bad;
}
