// In-block fixed point iteration with a shared "not converged" flag.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdlib>
#include <cstdio>

#define STRINGIFY_(x) #x
#define GPU(call)                                                                        \
  do {                                                                                   \
    cudaError_t err__ = (call);                                                          \
    if (err__ != cudaSuccess) {                                                          \
      std::fprintf(stderr, "%s failed: %s\n", STRINGIFY_(call), cudaGetErrorString(err__)); \
      std::exit(EXIT_FAILURE);                                                           \
    }                                                                                    \
  } while (0)

template <typename Real>
struct System {
  const Real* A;   // n x n, row-major, per system
  const Real* b;
  Real* x;
  int n;
  Real tol;
  int max_iter;
};

template <typename Real>
__device__ Real row_update(const Real* A, const Real* b, const Real* x, int n, int i) {
  Real s = b[i];
  for (int j = 0; j < n; ++j)
    if (j != i) s -= A[i * n + j] * x[j];
  return s / A[i * n + i];
}

template <typename Real>
__global__ void jacobi(System<Real> sys, int* iters) {
  extern __shared__ __align__(16) unsigned char raw[];
  Real* cur = reinterpret_cast<Real*>(raw);
  Real* nxt = cur + sys.n;
  __shared__ int busy;

  const Real* A = sys.A + size_t(blockIdx.x) * sys.n * sys.n;
  const Real* b = sys.b + size_t(blockIdx.x) * sys.n;
  Real* x = sys.x + size_t(blockIdx.x) * sys.n;

  for (int i = threadIdx.x; i < sys.n; i += blockDim.x) cur[i] = x[i];
  int it = 0;
  while (it < sys.max_iter) {
    if (threadIdx.x == 0) busy = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < sys.n; i += blockDim.x) {
      Real v = row_update(A, b, cur, sys.n, i);
      if (fabs(v - cur[i]) > sys.tol) atomicOr(&busy, 1);
      nxt[i] = v;
    }
    __syncthreads();
    const bool again = busy != 0;
    Real* t = cur;
    cur = nxt;
    nxt = t;
    ++it;
    __syncthreads();
    if (!again) break;
  }
  for (int i = threadIdx.x; i < sys.n; i += blockDim.x) x[i] = cur[i];
  if (threadIdx.x == 0) iters[blockIdx.x] = it;
}

template <typename Real>
void solve_batch(const Real* A, const Real* b, Real* x, int n, int batch, int* iters) {
  if (n < 1 || batch < 1 || n > 1024) return;
  System<Real> s{A, b, x, n, Real(1e-5), 200};
  int block = 64;
  while (block < n && block < 256) block *= 2;
  jacobi<Real><<<batch, block, 2 * n * sizeof(Real)>>>(s, iters);
  GPU(cudaGetLastError());
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 100, batch = 30;
  if (n < 1 || n > 1024) return 1;
  float *A, *b, *x;
  int* it;
  GPU(cudaMalloc(&A, sizeof(float) * n * n * batch));
  GPU(cudaMalloc(&b, sizeof(float) * n * batch));
  GPU(cudaMalloc(&x, sizeof(float) * n * batch));
  GPU(cudaMalloc(&it, sizeof(int) * batch));
  GPU(cudaMemset(A, 0x3c, sizeof(float) * n * n * batch));
  GPU(cudaMemset(b, 0, sizeof(float) * n * batch));
  GPU(cudaMemset(x, 0, sizeof(float) * n * batch));
  solve_batch(A, b, x, n, batch, it);
  GPU(cudaDeviceSynchronize());
  GPU(cudaFree(A)); GPU(cudaFree(b)); GPU(cudaFree(x)); GPU(cudaFree(it));
  return 0;
}
