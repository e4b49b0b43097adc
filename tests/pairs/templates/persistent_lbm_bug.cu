#include <cuda_runtime.h>
#include <algorithm>

namespace lbm {

struct GridBarrier {
  unsigned int* count;   // zeroed before the launch

  // Called by all threads of all blocks; `phase` counts the calls from 0.
  __device__ void wait(unsigned int phase) const {
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0) {
      const unsigned int target = gridDim.x * gridDim.y;
      __threadfence();
      atomicAdd(count, 1u);
      while (atomicAdd(count, 0u) < target) {
      }
      __threadfence();
    }
    __syncthreads();
  }
};

template <int BX_, int BY_>
struct Tile {
  static constexpr int BX = BX_, BY = BY_;
};

struct Field {
  float* a;
  float* b;
  int nx;
  int ny;
};

struct Diffuse {
  float k;
  __device__ float operator()(float c, float l, float r, float u, float d) const {
    return c + k * (l + r + u + d - 4.f * c);
  }
};

struct Upwind {
  float cx, cy;
  __device__ float operator()(float c, float l, float r, float u, float d) const {
    return c - cx * (c - l) - cy * (c - u) + 0.f * (r + d);
  }
};

__device__ __forceinline__ int wrap(int v, int n) { return v < 0 ? v + n : (v >= n ? v - n : v); }

template <class T, class Rule>
__global__ void __launch_bounds__(T::BX * T::BY) step_kernel(Field f, int steps, GridBarrier bar, Rule rule) {
  const int x0 = blockIdx.x * T::BX + threadIdx.x;
  const int y0 = blockIdx.y * T::BY + threadIdx.y;
  const int sx = gridDim.x * T::BX;
  const int sy = gridDim.y * T::BY;

  float* src = f.a;
  float* dst = f.b;
  for (int s = 0; s < steps; ++s) {
    for (int y = y0; y < f.ny; y += sy) {
      for (int x = x0; x < f.nx; x += sx) {
        const int row = y * f.nx;
        const float c = __ldcg(src + row + x);
        const float l = __ldcg(src + row + wrap(x - 1, f.nx));
        const float r = __ldcg(src + row + wrap(x + 1, f.nx));
        const float u = __ldcg(src + wrap(y - 1, f.ny) * f.nx + x);
        const float d = __ldcg(src + wrap(y + 1, f.ny) * f.nx + x);
        dst[row + x] = rule(c, l, r, u, d);
      }
    }
    bar.wait(s);
    float* t = src;
    src = dst;
    dst = t;
  }
}

template <class T, class Rule>
cudaError_t run(Field f, int steps, unsigned int* counter, Rule rule, cudaStream_t s) {
  int dev = 0, sms = 0, occ = 0;
  cudaGetDevice(&dev);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
  auto kernel = step_kernel<T, Rule>;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&occ, kernel, T::BX * T::BY, 0);
  const int resident = std::max(1, sms * occ);
  const int gx = std::min((f.nx + T::BX - 1) / T::BX, resident);
  const int gy = std::max(1, std::min((f.ny + T::BY - 1) / T::BY, resident / gx));
  cudaError_t e = cudaMemsetAsync(counter, 0, sizeof(unsigned int), s);
  if (e != cudaSuccess) return e;
  GridBarrier bar{counter};
  void* args[] = {&f, &steps, &bar, &rule};
  return cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), dim3(gx, gy), dim3(T::BX, T::BY), args, 0,
                                     s);
}

cudaError_t diffuse(Field f, int steps, float k, unsigned int* counter, cudaStream_t s) {
  return f.nx >= 512 ? run<Tile<64, 4>>(f, steps, counter, Diffuse{k}, s)
                     : run<Tile<16, 16>>(f, steps, counter, Diffuse{k}, s);
}

cudaError_t advect(Field f, int steps, float cx, float cy, unsigned int* counter, cudaStream_t s) {
  return run<Tile<32, 8>>(f, steps, counter, Upwind{cx, cy}, s);
}

}  // namespace lbm
