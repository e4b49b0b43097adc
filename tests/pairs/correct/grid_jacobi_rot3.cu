#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

__global__ void __launch_bounds__(256) jacobi_solver(float* a, float* b, const float* rhs, int n, int max_steps, float tol, unsigned* changed, int* steps_out) {
  cg::grid_group grid = cg::this_grid();
  __shared__ unsigned block_changed;
  float* cur = a;
  float* nxt = b;
  int step = 0;
  for (; step < max_steps; ++step) {
    if (threadIdx.x == 0) block_changed = 0;
    __syncthreads();
    if (grid.thread_rank() == 0) changed[(step + 1) % 3] = 0;
    unsigned local = 0;
    for (int i = grid.thread_rank(); i < n; i += grid.size()) {
      const float l = i > 0 ? cur[i - 1] : 0.f;
      const float r = i + 1 < n ? cur[i + 1] : 0.f;
      const float v = 0.5f * (l + r + rhs[i]);
      if (fabsf(v - cur[i]) > tol) ++local;
      nxt[i] = v;
    }
    if (local) atomicAdd(&block_changed, local);
    __syncthreads();
    if (threadIdx.x == 0 && block_changed) atomicAdd(&changed[step % 3], block_changed);
    grid.sync();
    const unsigned c = changed[step % 3];
    float* tmp = cur;
    cur = nxt;
    nxt = tmp;
    if (c == 0) break;
  }
  if (grid.thread_rank() == 0) *steps_out = step;
}

void solve_jacobi(float* a, float* b, const float* rhs, int n, int max_steps, float tol, unsigned* changed, int* steps_out, cudaStream_t st) {
  int dev = 0, sms = 0, per_sm = 0;
  cudaGetDevice(&dev);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, jacobi_solver, 256, 0);
  cudaMemsetAsync(changed, 0, 3 * sizeof(unsigned), st);
  void* args[] = {&a, &b, &rhs, &n, &max_steps, &tol, &changed, &steps_out};
  cudaLaunchCooperativeKernel((void*)jacobi_solver, dim3(sms * per_sm), dim3(256), args, 0, st);
}

int main() {
  float *a, *b, *rhs;
  unsigned* changed;
  int* steps;
  const int n = 1 << 18;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMalloc(&rhs, n * sizeof(float));
  cudaMalloc(&changed, 3 * sizeof(unsigned));
  cudaMalloc(&steps, sizeof(int));
  solve_jacobi(a, b, rhs, n, 2000, 1e-4f, changed, steps, 0);
  return cudaDeviceSynchronize() != cudaSuccess;
}
