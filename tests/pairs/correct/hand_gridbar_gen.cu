#include <cuda_runtime.h>

struct GridBar {
  unsigned count;
  unsigned gen;
};

__device__ void grid_barrier(GridBar* gb, unsigned nblocks) {
  __syncthreads();
  if (threadIdx.x == 0) {
    volatile unsigned* vgen = &gb->gen;
    const unsigned g = *vgen;
    __threadfence();
    if (atomicAdd(&gb->count, 1u) == nblocks - 1) {
      atomicExch(&gb->count, 0u);
      __threadfence();
      atomicAdd(&gb->gen, 1u);
    } else {
      while (*vgen == g) __nanosleep(32);
    }
    __threadfence();
  }
  __syncthreads();
}

__global__ void __launch_bounds__(512) heat_steps(float* u0, float* u1, int nx, int ny, int steps, float c, GridBar* gb) {
  float* src = u0;
  float* dst = u1;
  const int total = nx * ny;
  for (int s = 0; s < steps; ++s) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += gridDim.x * blockDim.x) {
      const int x = i % nx, y = i / nx;
      float v = __ldcg(src + i);
      if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1) {
        v += c * (__ldcg(src + i - 1) + __ldcg(src + i + 1) + __ldcg(src + i - nx) + __ldcg(src + i + nx) - 4.f * v);
      }
      dst[i] = v;
    }
    grid_barrier(gb, gridDim.x);
    float* t = src;
    src = dst;
    dst = t;
  }
}

void run_heat(float* u0, float* u1, int nx, int ny, int steps, GridBar* gb, cudaStream_t st) {
  int dev = 0, sms = 0;
  cudaGetDevice(&dev);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
  cudaMemsetAsync(gb, 0, sizeof(GridBar), st);
  float c = 0.1f;
  void* args[] = {&u0, &u1, &nx, &ny, &steps, &c, &gb};
  cudaLaunchCooperativeKernel((void*)heat_steps, dim3(sms), dim3(512), args, 0, st);
}
