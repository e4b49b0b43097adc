// Batched LU with partial pivoting of small matrices in shared memory.
#include <cuda_runtime.h>
#include <stdexcept>

namespace lu {

template <typename T, int N>
struct Work {
  T a[N][N + 1];
  int perm[N];
  int pivot;
  int singular;
};

template <typename T, int N>
__device__ int find_pivot(const Work<T, N>& w, int k) {
  int best = k;
  T mag = fabs(w.a[k][k]);
  for (int r = k + 1; r < N; ++r) {
    const T m = fabs(w.a[r][k]);
    if (m > mag) {
      mag = m;
      best = r;
    }
  }
  return mag > T(0) ? best : -1;
}

template <typename T, int N>
__device__ bool factor(Work<T, N>& w, int row, int col) {
  for (int k = 0; k < N; ++k) {
    if (row == 0 && col == 0) {
      const int p = find_pivot(w, k);
      w.pivot = p;
      if (p < 0) w.singular = k + 1;
    }
    __syncthreads();
    const int p = w.pivot;
    if (p < 0) return false;
    if (p != k && row == 0) {
      const T t = w.a[k][col];
      w.a[k][col] = w.a[p][col];
      w.a[p][col] = t;
      if (col == 0) {
        const int q = w.perm[k];
        w.perm[k] = w.perm[p];
        w.perm[p] = q;
      }
    }
    __syncthreads();
    if (col == k && row > k) w.a[row][k] /= w.a[k][k];
    __syncthreads();
    if (col > k && row > k) w.a[row][col] -= w.a[row][k] * w.a[k][col];
    __syncthreads();
  }
  return true;
}

template <typename T, int N>
__global__ void __launch_bounds__(N * N) lu_batched(T* mats, int* perms, int* info, int lda, size_t stride) {
  __shared__ Work<T, N> w;
  const int row = threadIdx.y, col = threadIdx.x;
  T* m = mats + blockIdx.x * stride;
  w.a[row][col] = m[row * lda + col];
  if (row == 0) w.perm[col] = col;
  if (row == N - 1 && col == N - 1) w.singular = 0;
  __syncthreads();
  const bool ok = factor(w, row, col);
  if (ok) m[row * lda + col] = w.a[row][col];
  if (row == 0) perms[blockIdx.x * N + col] = w.perm[col];
  if (row == 0 && col == 0) info[blockIdx.x] = w.singular;
}

template <typename T>
void getrf(T* mats, int n, int lda, size_t stride, int batch, int* perms, int* info, cudaStream_t s = 0) {
  if (batch <= 0) return;
  if (lda < n) throw std::invalid_argument("lda < n");
  if (stride < size_t(lda) * n) throw std::invalid_argument("matrices overlap");
#define LU_CASE(N)                                                                         \
  case N:                                                                                  \
    lu_batched<T, N><<<batch, dim3(N, N), 0, s>>>(mats, perms, info, lda, stride);         \
    break
  switch (n) {
    LU_CASE(2);
    LU_CASE(3);
    LU_CASE(5);
    LU_CASE(8);
    LU_CASE(16);
    LU_CASE(31);
    default: throw std::invalid_argument("size not instantiated");
  }
#undef LU_CASE
}

}  // namespace lu

int main() {
  double* m;
  int *p, *i;
  cudaMalloc(&m, sizeof(double) * 31 * 32 * 100);
  cudaMalloc(&p, sizeof(int) * 31 * 100);
  cudaMalloc(&i, sizeof(int) * 100);
  cudaMemset(m, 0x3f, sizeof(double) * 31 * 32 * 100);
  for (int n : {2, 3, 5, 8, 16, 31}) lu::getrf(m, n, 32, size_t(32) * n, 100, p, i);
  const int rc = cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
  cudaFree(m); cudaFree(p); cudaFree(i);
  return rc;
}
