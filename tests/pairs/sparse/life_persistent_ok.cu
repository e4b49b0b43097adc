// Game of life on a torus, all generations in one launch. The grid is sized so that all
// blocks are resident, generations are separated by a barrier over the grid.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

typedef unsigned char cell_t;

struct GridBar {
  unsigned* arrived;
  volatile unsigned* epoch;
};

__device__ void gridBarrier(GridBar b, unsigned target) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    if (atomicAdd(b.arrived, 1u) == gridDim.x - 1) {
      atomicExch(b.arrived, 0u);
      __threadfence();
      *b.epoch = target;
    } else {
      while (*b.epoch != target) {
      }
    }
    __threadfence();
  }
  __syncthreads();
}

__device__ __forceinline__ int alive(const volatile cell_t* g, int x, int y, int w, int h) {
  x = x < 0 ? x + w : (x >= w ? x - w : x);
  y = y < 0 ? y + h : (y >= h ? y - h : y);
  return g[(size_t)y * w + x];
}

__global__ void lifeKernel(volatile cell_t* a, volatile cell_t* b, int w, int h, int generations,
                           GridBar bar) {
  const int cells = w * h;
  for (int gen = 0; gen < generations; ++gen) {
    volatile cell_t* cur = gen & 1 ? b : a;
    volatile cell_t* nxt = gen & 1 ? a : b;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < cells; i += gridDim.x * blockDim.x) {
      const int x = i % w, y = i / w;
      int s = 0;
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
          if (dx || dy) s += alive(cur, x + dx, y + dy, w, h);
      nxt[i] = s == 3 || (s == 2 && cur[i]);
    }
    if (gen + 1 < generations) gridBarrier(bar, gen + 1);
  }
}

int main(int argc, char** argv) {
  int w = argc > 1 ? std::atoi(argv[1]) : 2000, h = argc > 2 ? std::atoi(argv[2]) : 1500;
  int gens = argc > 3 ? std::atoi(argv[3]) : 200;
  if (w < 2 || h < 2 || gens < 1 || (long long)w * h > (1 << 28)) return 1;
  int dev = 0, sms = 0, perSm = 0, coop = 0;
  cudaGetDevice(&dev);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
  cudaDeviceGetAttribute(&coop, cudaDevAttrCooperativeLaunch, dev);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perSm, lifeKernel, 256, 0);
  if (!coop || perSm < 1) return 2;

  const size_t n = (size_t)w * h;
  std::vector<cell_t> host(n);
  for (auto& c : host) c = rand() % 3 == 0;
  cell_t *a, *b;
  unsigned* state;
  if (cudaMalloc(&a, n) || cudaMalloc(&b, n) || cudaMalloc(&state, 2 * sizeof(unsigned))) return 3;
  cudaMemcpy(a, host.data(), n, cudaMemcpyHostToDevice);
  cudaMemset(state, 0, 2 * sizeof(unsigned));
  GridBar bar{state, state + 1};
  void* args[] = {&a, &b, &w, &h, &gens, &bar};
  cudaError_t e = cudaLaunchCooperativeKernel((const void*)lifeKernel, dim3(sms * perSm), dim3(256), args, 0, 0);
  if (e == cudaSuccess) e = cudaDeviceSynchronize();
  cudaMemcpy(host.data(), gens & 1 ? b : a, n, cudaMemcpyDeviceToHost);
  size_t pop = 0;
  for (cell_t c : host) pop += c;
  std::printf("%s, population %zu\n", cudaGetErrorString(e), pop);
  return 0;
}
