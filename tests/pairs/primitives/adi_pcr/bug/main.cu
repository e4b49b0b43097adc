#include <cuda_runtime.h>
#include <cstdio>
#include <stdexcept>
#include "part.cuh"

// Alternating direction implicit diffusion on a square grid. Rows are solved
// in place, then the field is transposed and the rows are solved again.

namespace adi {

struct Step {
  float* u;
  float lambda;
};

template <int N>
__global__ void __launch_bounds__(N) solveRows(Step s) {
  __shared__ tridiag::System<float, N> sys;
  const int i = threadIdx.x;
  float* row = s.u + size_t(blockIdx.x) * N;

  sys.a[i] = i == 0 ? 0.f : -s.lambda;
  sys.b[i] = 1.f + 2.f * s.lambda;
  sys.c[i] = i == N - 1 ? 0.f : -s.lambda;
  sys.d[i] = row[i];
  __syncthreads();

  row[i] = tridiag::solve(sys, i);
}

constexpr int kTile = 32;
constexpr int kRows = 8;

__global__ void transpose(const float* in, float* out, int n) {
  __shared__ float t[kTile][kTile + 1];
  const int x = blockIdx.x * kTile + threadIdx.x;
  const int y = blockIdx.y * kTile + threadIdx.y;
#pragma unroll
  for (int r = 0; r < kTile; r += kRows) t[threadIdx.y + r][threadIdx.x] = in[size_t(y + r) * n + x];
  __syncthreads();
  const int ox = blockIdx.y * kTile + threadIdx.x;
  const int oy = blockIdx.x * kTile + threadIdx.y;
#pragma unroll
  for (int r = 0; r < kTile; r += kRows) out[size_t(oy + r) * n + ox] = t[threadIdx.x][threadIdx.y + r];
}

template <int N>
void advance(float*& u, float*& tmp, float lambda, int steps, cudaStream_t st) {
  const dim3 tb(kTile, kRows), tg(N / kTile, N / kTile);
  for (int k = 0; k < steps; ++k) {
    for (int dir = 0; dir < 2; ++dir) {
      solveRows<N><<<N, N, 0, st>>>(Step{u, lambda});
      transpose<<<tg, tb, 0, st>>>(u, tmp, N);
      float* swap = u;
      u = tmp;
      tmp = swap;
    }
  }
  if (cudaGetLastError() != cudaSuccess) throw std::runtime_error("adi");
}

void diffuse(int n, float*& u, float*& tmp, float lambda, int steps, cudaStream_t st) {
  switch (n) {
    case 128: return advance<128>(u, tmp, lambda, steps, st);
    case 256: return advance<256>(u, tmp, lambda, steps, st);
    case 512: return advance<512>(u, tmp, lambda, steps, st);
  }
  throw std::invalid_argument("grid size");
}

}  // namespace adi

int main() {
  for (int n = 128; n <= 512; n *= 2) {
    float *u, *t;
    cudaMalloc(&u, sizeof(float) * n * n);
    cudaMalloc(&t, sizeof(float) * n * n);
    cudaMemset(u, 0, sizeof(float) * n * n);
    adi::diffuse(n, u, t, 0.8f, 25, 0);
    printf("%d: %s\n", n, cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(u);
    cudaFree(t);
  }
  return 0;
}
