#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <vector>

// Tiled right looking Cholesky: diagonal tile, panel solve and symmetric
// update; the matrix is a grid of contiguous NB x NB tiles.

template <typename Real, int NB>
class TiledMatrix {
 public:
  TiledMatrix(Real* data, int tiles) : d_(data), nt_(tiles) {}
  __host__ __device__ Real* tile(int r, int c) const { return d_ + (size_t(r) * nt_ + c) * NB * NB; }
  __host__ __device__ int tiles() const { return nt_; }

 private:
  Real* d_;
  int nt_;
};

template <typename Real, int NB>
struct DiagFactor {
  Real (&a)[NB][NB + 1];
  const int tx, ty;

  __device__ void pivot(int k) {
    if (tx == 0 && ty == 0) a[k][k] = sqrt(a[k][k]);
    __syncthreads();
  }
  __device__ void scale(int k) {
    if (tx == 0 && ty > k) a[ty][k] /= a[k][k];
  }
  __device__ void trail(int k) {
    if (ty > k && tx > k && tx <= ty) a[ty][tx] -= a[ty][k] * a[tx][k];
    __syncthreads();
  }
  __device__ void operator()() {
    for (int k = 0; k < NB; ++k) {
      pivot(k);
      scale(k);
      trail(k);
    }
  }
};

template <typename Real, int NB>
__global__ void potrfTile(TiledMatrix<Real, NB> m, int k) {
  __shared__ Real a[NB][NB + 1];
  const int tx = threadIdx.x, ty = threadIdx.y;
  Real* g = m.tile(k, k);
  a[ty][tx] = g[ty * NB + tx];
  __syncthreads();
  DiagFactor<Real, NB>{a, tx, ty}();
  g[ty * NB + tx] = tx <= ty ? a[ty][tx] : Real(0);
}

template <typename Real, int NB>
__global__ void trsmPanel(TiledMatrix<Real, NB> m, int k) {
  __shared__ Real l[NB][NB + 1];
  __shared__ Real x[NB][NB + 1];
  const int tx = threadIdx.x, ty = threadIdx.y;
  Real* g = m.tile(k + 1 + blockIdx.x, k);
  l[ty][tx] = m.tile(k, k)[ty * NB + tx];
  x[ty][tx] = g[ty * NB + tx];
  __syncthreads();
  for (int c = 0; c < NB; ++c) {
    if (tx == c) x[ty][c] /= l[c][c];
    __syncthreads();
    if (tx > c) x[ty][tx] -= x[ty][c] * l[tx][c];
    __syncthreads();
  }
  g[ty * NB + tx] = x[ty][tx];
}

template <typename Real, int NB>
__global__ void syrkUpdate(TiledMatrix<Real, NB> m, int k) {
  const int r = k + 1 + blockIdx.y, c = k + 1 + blockIdx.x;
  if (c > r) return;
  __shared__ Real pr[NB][NB + 1];
  __shared__ Real pc[NB][NB + 1];
  const int tx = threadIdx.x, ty = threadIdx.y;
  pr[ty][tx] = m.tile(r, k)[ty * NB + tx];
  pc[ty][tx] = m.tile(c, k)[ty * NB + tx];
  __syncthreads();
  Real acc = 0;
#pragma unroll
  for (int i = 0; i < NB; ++i) acc += pr[ty][i] * pc[tx][i];
  m.tile(r, c)[ty * NB + tx] -= acc;
}

template <typename Real, int NB>
cudaError_t cholesky(TiledMatrix<Real, NB> m, cudaStream_t s) {
  const dim3 block(NB, NB);
  for (int k = 0; k < m.tiles(); ++k) {
    potrfTile<Real, NB><<<1, block, 0, s>>>(m, k);
    const int left = m.tiles() - k - 1;
    if (left > 0) {
      trsmPanel<Real, NB><<<left, block, 0, s>>>(m, k);
      syrkUpdate<Real, NB><<<dim3(left, left), block, 0, s>>>(m, k);
    }
  }
  return cudaGetLastError();
}

template <typename Real, int NB>
int solve(int tiles) {
  const size_t n = size_t(tiles) * NB;
  std::vector<Real> h(n * n, Real(1));
  for (int t = 0; t < tiles; ++t)
    for (int i = 0; i < NB; ++i) h[(size_t(t) * tiles + t) * NB * NB + i * NB + i] = Real(n + 1);
  Real* d;
  if (cudaMalloc(&d, n * n * sizeof(Real)) != cudaSuccess) return 1;
  cudaMemcpy(d, h.data(), n * n * sizeof(Real), cudaMemcpyHostToDevice);
  cudaError_t e = cholesky(TiledMatrix<Real, NB>(d, tiles), 0);
  if (e == cudaSuccess) e = cudaDeviceSynchronize();
  printf("NB=%d: %s\n", NB, cudaGetErrorString(e));
  cudaFree(d);
  return e != cudaSuccess;
}

int main() { return solve<double, 16>(12) + solve<float, 32>(20); }
