// Batched Householder QR of small square matrices, four matrices per block. The batch is
// padded to a multiple of four with identity matrices.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int N = 16;        // order of the matrices
constexpr int PER_BLOCK = 4;

template <typename T>
struct Shared {
  T a[N][N + 1];
  T w[N];
  T tau;
};

template <typename T>
__device__ T tailNorm2(const Shared<T>& s, int k) {
  T r = 0;
  for (int i = k + 1; i < N; ++i) r += s.a[i][k] * s.a[i][k];
  return r;
}

// Thread j owns column j of its matrix.
template <typename T>
__global__ void geqrf(T* A, T* tau) {
  __shared__ Shared<T> all[PER_BLOCK];
  Shared<T>& s = all[threadIdx.y];
  const int j = threadIdx.x;
  const size_t mat = (size_t)blockIdx.x * PER_BLOCK + threadIdx.y;
  T* g = A + mat * N * N;

  for (int i = 0; i < N; ++i) s.a[i][j] = g[i * N + j];
  if (j == 0) tau[mat * N + N - 1] = 0;
  __syncthreads();

  for (int k = 0; k < N - 1; ++k) {
    const T sig = tailNorm2(s, k);
    if (sig == T(0)) {
      if (j == 0) tau[mat * N + k] = 0;
      continue;
    }
    const T alpha = s.a[k][k];
    const T mu = sqrt(alpha * alpha + sig);
    const T beta = alpha > 0 ? -mu : mu;
    __syncthreads();
    if (j == 0) {
      s.tau = (beta - alpha) / beta;
      tau[mat * N + k] = s.tau;
      s.a[k][k] = beta;
    }
    if (j > k) s.a[j][k] /= alpha - beta;
    __syncthreads();
    if (j > k) {
      T dot = s.a[k][j];
      for (int i = k + 1; i < N; ++i) dot += s.a[i][k] * s.a[i][j];
      s.w[j] = dot * s.tau;
      s.a[k][j] -= s.w[j];
      for (int i = k + 1; i < N; ++i) s.a[i][j] -= s.a[i][k] * s.w[j];
    }
    __syncthreads();
  }

  T* out = A + (size_t)blockIdx.x * PER_BLOCK * N * N;
  for (int e = threadIdx.y * N + j; e < PER_BLOCK * N * N; e += PER_BLOCK * N)
    out[e] = all[e / (N * N)].a[e / N % N][e % N];
}

int main(int argc, char** argv) {
  const int batch = argc > 1 ? std::atoi(argv[1]) : 1001;
  if (batch < 1 || batch > 1000000) return 1;
  const int padded = (batch + PER_BLOCK - 1) / PER_BLOCK * PER_BLOCK;
  std::vector<double> h((size_t)padded * N * N, 0.0);
  for (int b = 0; b < padded; ++b)
    for (int e = 0; e < N * N; ++e)
      h[(size_t)b * N * N + e] = b < batch ? rand() / (double)RAND_MAX - 0.5 : (e % (N + 1) == 0);
  double *A, *tau;
  if (cudaMalloc(&A, h.size() * sizeof(double)) != cudaSuccess) return 1;
  if (cudaMalloc(&tau, (size_t)padded * N * sizeof(double)) != cudaSuccess) return 1;
  cudaMemcpy(A, h.data(), h.size() * sizeof(double), cudaMemcpyHostToDevice);
  geqrf<double><<<padded / PER_BLOCK, dim3(N, PER_BLOCK)>>>(A, tau);
  cudaMemcpy(h.data(), A, h.size() * sizeof(double), cudaMemcpyDeviceToHost);
  std::printf("r00 = %f\n", h[0]);
  cudaFree(A);
  cudaFree(tau);
  return 0;
}
