#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;
using Level = cuda::atomic_ref<int, cuda::thread_scope_device>;

__global__ void __launch_bounds__(256) bfs_levels(const int* __restrict__ rp, const int* __restrict__ ci, int* level, int n, int* more) {
  cg::grid_group grid = cg::this_grid();
  int depth = 0;
  while (true) {
    bool found = false;
    for (int v = grid.thread_rank(); v < n; v += grid.size()) {
      if (Level(level[v]).load(cuda::memory_order_relaxed) != depth) continue;
      for (int e = rp[v]; e < rp[v + 1]; ++e) {
        int expected = -1;
        if (Level(level[ci[e]]).compare_exchange_strong(expected, depth + 1, cuda::memory_order_relaxed)) found = true;
      }
    }
    if (found) atomicExch(more, 1);
    grid.sync();
    const int go = *more;
    grid.sync();
    if (grid.thread_rank() == 0) *more = 0;
    grid.sync();
    if (!go) break;
    ++depth;
  }
}

void run_bfs(const int* rp, const int* ci, int* level, int n, int source, int* more, cudaStream_t st) {
  int zero = 0;
  cudaMemsetAsync(level, 0xff, sizeof(int) * n, st);
  cudaMemcpyAsync(level + source, &zero, sizeof(int), cudaMemcpyHostToDevice, st);
  cudaMemsetAsync(more, 0, sizeof(int), st);
  void* args[] = {&rp, &ci, &level, &n, &more};
  cudaLaunchCooperativeKernel((void*)bfs_levels, dim3(132), dim3(256), args, 0, st);
}
