// Pressure projection of a 2D fluid solver: red-black Gauss-Seidel in one cooperative kernel.
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>

namespace cg = cooperative_groups;

struct PoissonArgs {
  float *p;              // pressure with a border of one cell, (nx + 2) * (ny + 2)
  const float *div;      // same layout
  unsigned int *residual;  // bits of a non-negative float, one slot for each check, zeroed
  int nx, ny;
  int max_iter;
  int check_every;
  float omega, tol;
  int *iterations;
};

__device__ __forceinline__ int cell(const PoissonArgs &a, int x, int y) { return (y + 1) * (a.nx + 2) + x + 1; }

__device__ __forceinline__ float neighbours(const PoissonArgs &a, int c) {
  const int w = a.nx + 2;
  return a.p[c - 1] + a.p[c + 1] + a.p[c - w] + a.p[c + w];
}

// relaxes all cells with (x + y) % 2 == color
__device__ void sweep(const PoissonArgs &a, int color, int rank, int size) {
  const int half = (a.nx + 1) / 2;
  for (int i = rank; i < half * a.ny; i += size) {
    const int y = i / half;
    const int x = 2 * (i % half) + ((y + color) & 1);
    if (x >= a.nx) continue;
    const int c = cell(a, x, y);
    const float gs = 0.25f * (neighbours(a, c) - a.div[c]);
    a.p[c] += a.omega * (gs - a.p[c]);
  }
}

__device__ float warp_max(float v) {
  for (int o = 16; o > 0; o >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, o));
  return v;
}

__device__ float local_residual(const PoissonArgs &a, int rank, int size) {
  float r = 0.f;
  for (int i = rank; i < a.nx * a.ny; i += size) {
    const int c = cell(a, i % a.nx, i / a.nx);
    r = fmaxf(r, fabsf(neighbours(a, c) - 4.f * a.p[c] - a.div[c]));
  }
  return r;
}

__global__ void __launch_bounds__(256) solve_pressure(PoissonArgs a) {
  cg::grid_group grid = cg::this_grid();
  const int rank = (int)grid.thread_rank(), size = (int)grid.size();

  int it = 0, check = 0;
  while (it < a.max_iter) {
    sweep(a, 0, rank, size);
    grid.sync();
    sweep(a, 1, rank, size);
    grid.sync();
    ++it;

    if (it % a.check_every == 0) {
      const float r = warp_max(local_residual(a, rank, size));
      if ((threadIdx.x & 31) == 0) atomicMax(&a.residual[check], __float_as_uint(r));
      grid.sync();
      // also keeps the next sweep from overtaking the residual of other blocks
      const float worst = __uint_as_float(*(volatile unsigned int *)&a.residual[check]);
      ++check;
      if (worst < a.tol) break;
    }
  }
  if (rank == 0) *a.iterations = it;
}

__global__ void subtract_gradient(float *u, float *v, const float *p, int nx, int ny, float scale) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny) return;
  const int w = nx + 2, c = (y + 1) * w + x + 1;
  u[c] -= scale * (p[c + 1] - p[c - 1]);
  v[c] -= scale * (p[c + w] - p[c - w]);
}

cudaError_t project(PoissonArgs a, float *u, float *v, float dx, cudaStream_t st) {
  if (a.nx < 1 || a.ny < 1 || a.max_iter < 1 || a.check_every < 1) return cudaErrorInvalidValue;
  if (a.nx > 16384 || a.ny > 16384) return cudaErrorInvalidValue;
  int dev = 0, sms = 0, per_sm = 0, coop = 0;
  cudaGetDevice(&dev);
  cudaDeviceGetAttribute(&coop, cudaDevAttrCooperativeLaunch, dev);
  if (!coop) return cudaErrorNotSupported;
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, solve_pressure, 256, 0);
  const int work = ((a.nx + 1) / 2 * a.ny + 255) / 256;
  const int blocks = std::max(1, std::min(work, sms * per_sm));

  cudaMemsetAsync(a.residual, 0, (a.max_iter / a.check_every + 1) * sizeof(unsigned int), st);
  void *params[] = {&a};
  cudaError_t err = cudaLaunchCooperativeKernel((void *)solve_pressure, dim3(blocks), dim3(256), params, 0, st);
  if (err != cudaSuccess) return err;
  dim3 b(32, 8), g((a.nx + 31) / 32, (a.ny + 7) / 8);
  subtract_gradient<<<g, b, 0, st>>>(u, v, a.p, a.nx, a.ny, 0.5f / dx);
  return cudaGetLastError();
}
