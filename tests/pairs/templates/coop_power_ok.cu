#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <algorithm>

namespace cg = cooperative_groups;

namespace eig {

static constexpr int kBlock = 128;

struct Ell {
  const int* col;       // width x rows
  const float* val;
  int rows;
  int width;
};

struct PowerArgs {
  Ell a;
  float* x;
  float* y;
  float* norm_sq;       // one per sweep, zeroed by the caller
  int sweeps;
};

struct BlockSum {
  struct TempStorage {
    float w[kBlock / 32];
  };
  static __device__ float run(TempStorage& ts, float v) {
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    if (threadIdx.x % 32 == 0) ts.w[threadIdx.x / 32] = v;
    __syncthreads();
    float t = 0.f;
#pragma unroll
    for (int k = 0; k < kBlock / 32; ++k) t += ts.w[k];
    __syncthreads();
    return t;
  }
};

__device__ __forceinline__ float row_dot(const Ell& a, const float* x, int row) {
  float s = 0.f;
  for (int k = 0; k < a.width; ++k) {
    const size_t e = size_t(k) * a.rows + row;
    const int c = a.col[e];
    if (c >= 0) s += a.val[e] * x[c];
  }
  return s;
}

__global__ void __launch_bounds__(kBlock) power_kernel(PowerArgs p) {
  cg::grid_group grid = cg::this_grid();
  __shared__ BlockSum::TempStorage ts;
  const int tiles = (p.a.rows + kBlock - 1) / kBlock;

  for (int it = 0; it < p.sweeps; ++it) {
    const float* x = (it & 1) ? p.y : p.x;
    float* y = (it & 1) ? p.x : p.y;
    for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
      const int row = t * kBlock + threadIdx.x;
      const float v = row < p.a.rows ? row_dot(p.a, x, row) : 0.f;
      if (row < p.a.rows) y[row] = v;
      const float s = BlockSum::run(ts, v * v);
      if (threadIdx.x == 0) atomicAdd(&p.norm_sq[it], s);
    }
    grid.sync();
    const float inv = rsqrtf(fmaxf(p.norm_sq[it], 1e-30f));
    for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
      const int row = t * kBlock + threadIdx.x;
      if (row < p.a.rows) y[row] *= inv;
    }
    grid.sync();
  }
}

static int resident_blocks() {
  int dev = 0, sms = 0, occ = 0;
  cudaGetDevice(&dev);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&occ, power_kernel, kBlock, 0);
  return std::max(1, sms * occ);
}

cudaError_t power_iterate(PowerArgs p, cudaStream_t s) {
  if (p.a.rows <= 0 || p.sweeps <= 0) return cudaErrorInvalidValue;
  const int tiles = (p.a.rows + kBlock - 1) / kBlock;
  const int grid = std::min(tiles, resident_blocks());
  void* args[] = {&p};
  return cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(&power_kernel), dim3(grid), dim3(kBlock), args, 0,
                                     s);
}

}  // namespace eig
