#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

__device__ float block_sum(float v, float* red) {
  for (int o = 16; o; o >>= 1) v += __shfl_down_sync(~0u, v, o);
  if (threadIdx.x % 32 == 0) red[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = threadIdx.x < blockDim.x / 32 ? red[threadIdx.x] : 0.f;
    for (int o = 16; o; o >>= 1) v += __shfl_down_sync(~0u, v, o);
  }
  __syncthreads();
  return v;
}

__global__ void __launch_bounds__(256) cg_solver(const int* rp, const int* ci, const float* av, float* x, float* r, float* p, float* ap, int n,
                                                 int max_iters, float tol, float* d_pap, float* d_rr) {
  cg::grid_group grid = cg::this_grid();
  __shared__ float red[8];
  float rr = d_rr[0];
  for (int it = 0; it < max_iters && rr > tol; ++it) {
    const int cur = it & 1;
    float local = 0.f;
    for (int i = grid.thread_rank(); i < n; i += grid.size()) {
      float s = 0.f;
      for (int q = rp[i]; q < rp[i + 1]; ++q) s += av[q] * p[ci[q]];
      ap[i] = s;
      local += s * p[i];
    }
    local = block_sum(local, red);
    if (threadIdx.x == 0) atomicAdd(d_pap, local);
    if (grid.thread_rank() == 0) d_rr[cur ^ 1] = 0.f;
    grid.sync();
    const float alpha = rr / *d_pap;
    local = 0.f;
    for (int i = grid.thread_rank(); i < n; i += grid.size()) {
      x[i] += alpha * p[i];
      const float ri = r[i] - alpha * ap[i];
      r[i] = ri;
      local += ri * ri;
    }
    local = block_sum(local, red);
    if (threadIdx.x == 0) atomicAdd(&d_rr[cur ^ 1], local);
    grid.sync();
    const float rr_new = d_rr[cur ^ 1];
    const float beta = rr_new / rr;
    rr = rr_new;
    if (grid.thread_rank() == 0) *d_pap = 0.f;
    for (int i = grid.thread_rank(); i < n; i += grid.size()) p[i] = r[i] + beta * p[i];
    grid.sync();
  }
}

void launch_cg(const int* rp, const int* ci, const float* av, float* x, float* r, float* p, float* ap, int n, int max_iters, float tol,
               float* d_pap, float* d_rr, cudaStream_t st) {
  cudaMemsetAsync(d_pap, 0, sizeof(float), st);
  void* args[] = {&rp, &ci, &av, &x, &r, &p, &ap, &n, &max_iters, &tol, &d_pap, &d_rr};
  cudaLaunchCooperativeKernel((void*)cg_solver, dim3(132), dim3(256), args, 0, st);
}
