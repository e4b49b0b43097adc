#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <vector>
#include "part.cuh"

// Reinitialisation of a level set function to a signed distance, all steps in
// a single persistent launch with ping-pong fields.

namespace levelset {

constexpr int kBlock = 256;

struct Grid2D {
  int nx, ny;
  float h;
};

struct Reinit {
  Grid2D g;
  const float* phi0;
  float* phi[2];
  int steps;
  float dt;
  gridsync::State sync;
};

__device__ __forceinline__ float at(const float* p, const Grid2D& g, int x, int y) {
  x = min(max(x, 0), g.nx - 1);
  y = min(max(y, 0), g.ny - 1);
  return __ldcg(p + y * g.nx + x);
}

__device__ __forceinline__ float sgn(float v, float h) { return v * rsqrtf(v * v + h * h); }

// Godunov norm of the gradient, upwind with respect to the sign s.
__device__ float upwindNorm(const float* p, const Grid2D& g, int x, int y, float s) {
  const float c = at(p, g, x, y), ih = 1.f / g.h;
  float xm = (c - at(p, g, x - 1, y)) * ih, xp = (at(p, g, x + 1, y) - c) * ih;
  float ym = (c - at(p, g, x, y - 1)) * ih, yp = (at(p, g, x, y + 1) - c) * ih;
  if (s < 0.f) xm = -xm, xp = -xp, ym = -ym, yp = -yp;
  const float gx = fmaxf(fmaxf(xm, 0.f), -fminf(xp, 0.f));
  const float gy = fmaxf(fmaxf(ym, 0.f), -fminf(yp, 0.f));
  return sqrtf(gx * gx + gy * gy);
}

__global__ void __launch_bounds__(kBlock) reinitialise(Reinit r) {
  gridsync::Barrier bar(r.sync, gridDim.x);
  const int n = r.g.nx * r.g.ny;
  const int first = blockIdx.x * kBlock + threadIdx.x, step = gridDim.x * kBlock;

  for (int i = first; i < n; i += step) __stcg(r.phi[0] + i, r.phi0[i]);
  bar.wait();

  for (int k = 0; k < r.steps; ++k) {
    const float* from = r.phi[k & 1];
    float* to = r.phi[(k + 1) & 1];
    for (int i = first; i < n; i += step) {
      const int x = i % r.g.nx, y = i / r.g.nx;
      const float s = sgn(r.phi0[i], r.g.h);
      const float norm = upwindNorm(from, r.g, x, y, s);
      __stcg(to + i, __ldcg(from + i) - r.dt * s * (norm - 1.f));
    }
    bar.wait();
  }
}

}  // namespace levelset

int main() {
  using namespace levelset;
  Reinit r{};
  r.g = {900, 700, 0.01f};
  r.steps = 200;
  r.dt = 0.5f * r.g.h;
  const size_t n = size_t(r.g.nx) * r.g.ny;
  std::vector<float> h(n);
  for (size_t i = 0; i < n; ++i) {
    const float x = float(i % r.g.nx) * r.g.h - 4.5f, y = float(i / r.g.nx) * r.g.h - 3.5f;
    h[i] = x * x + 2.f * y * y - 4.f;
  }
  float* pool;
  cudaMalloc(&pool, 3 * n * sizeof(float));
  cudaMemcpy(pool, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  r.phi0 = pool, r.phi[0] = pool + n, r.phi[1] = pool + 2 * n;
  r.sync = gridsync::create();

  int dev = 0, sms = 0, perSm = 0;
  cudaGetDevice(&dev);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perSm, reinitialise, kBlock, 0);
  void* args[] = {&r};
  cudaError_t e = cudaLaunchCooperativeKernel((void*)reinitialise, dim3(sms * perSm), dim3(kBlock), args, 0, 0);
  if (e == cudaSuccess) e = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(e));
  gridsync::destroy(r.sync);
  cudaFree(pool);
  return e != cudaSuccess;
}
