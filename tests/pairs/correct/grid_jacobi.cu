// Persistent Jacobi solver with grid-wide synchronisation and rotating residual slots.
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <algorithm>
#include <stdexcept>

namespace cg = cooperative_groups;

struct Grid2D {
  int nx, ny;
  __host__ __device__ size_t at(int x, int y) const { return size_t(y) * nx + x; }
  __host__ __device__ size_t size() const { return size_t(nx) * ny; }
};

struct State {
  float* u[2];
  const float* rhs;
  unsigned* residual;   // three slots, float bits
  int* iterations;
};

__device__ unsigned block_max_bits(unsigned v) {
  __shared__ unsigned best;
  if (threadIdx.x == 0) best = 0;
  __syncthreads();
  v = __reduce_max_sync(0xffffffff, v);
  if ((threadIdx.x & 31) == 0) atomicMax(&best, v);
  __syncthreads();
  return best;
}

__global__ void jacobi_persistent(Grid2D g, State st, float tol, int max_iter) {
  cg::grid_group grid = cg::this_grid();
  const size_t step = size_t(gridDim.x) * blockDim.x;
  const size_t first = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  float* a = st.u[0];
  float* b = st.u[1];
  int it = 0;
  for (; it < max_iter; ++it) {
    float worst = 0.f;
    for (size_t i = first; i < g.size(); i += step) {
      const int x = int(i % g.nx), y = int(i / g.nx);
      float v = a[i];
      if (x > 0 && y > 0 && x < g.nx - 1 && y < g.ny - 1) {
        v = 0.25f * (a[i - 1] + a[i + 1] + a[i - g.nx] + a[i + g.nx] - st.rhs[i]);
        worst = fmaxf(worst, fabsf(v - a[i]));
      }
      b[i] = v;
    }
    const unsigned m = block_max_bits(__float_as_uint(worst));
    if (threadIdx.x == 0) {
      atomicMax(&st.residual[it % 3], m);
      if (blockIdx.x == 0) st.residual[(it + 1) % 3] = 0;
    }
    grid.sync();
    const float res = __uint_as_float(st.residual[it % 3]);
    float* t = a;
    a = b;
    b = t;
    if (res <= tol) break;
  }
  if (grid.thread_rank() == 0) *st.iterations = it;
}

int solve(Grid2D g, float* u, float* scratch, const float* rhs, float tol, int max_iter, int threads = 256) {
  if (g.nx < 3 || g.ny < 3 || u == scratch) throw std::invalid_argument("grid");
  threads = std::clamp(threads / 32, 1, 16) * 32;
  int dev = 0, sms = 0, coop = 0, per_sm = 0;
  cudaGetDevice(&dev);
  cudaDeviceGetAttribute(&coop, cudaDevAttrCooperativeLaunch, dev);
  if (!coop) throw std::runtime_error("cooperative launch unsupported");
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, jacobi_persistent, threads, 0);
  const size_t need = (g.size() + threads - 1) / threads;
  const unsigned grid = unsigned(std::min<size_t>(need, size_t(std::max(per_sm, 1)) * sms));
  unsigned* mem = nullptr;
  cudaMalloc(&mem, 4 * sizeof(unsigned));
  cudaMemset(mem, 0, 4 * sizeof(unsigned));
  State st{{u, scratch}, rhs, mem, reinterpret_cast<int*>(mem + 3)};
  void* args[] = {&g, &st, &tol, &max_iter};
  const cudaError_t e = cudaLaunchCooperativeKernel((const void*)jacobi_persistent, dim3(grid), dim3(threads), args, 0, nullptr);
  int its = -1;
  if (e == cudaSuccess) cudaMemcpy(&its, mem + 3, sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(mem);
  return its;
}
