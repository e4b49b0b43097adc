#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

namespace graph {

struct Csr {
  const int* row_ptr;
  const int* col_idx;
  int nodes;
};

struct BfsState {
  int* dist;       // -1 for nodes not reached
  int* queue[2];   // [nodes] each
  int* count;      // [2]
  int* levels;
};

__device__ __forceinline__ void relax(const BfsState& st, int v, int level, int out) {
  if (atomicCAS(&st.dist[v], -1, level) == -1) {
    const int pos = atomicAdd(&st.count[out], 1);
    st.queue[out][pos] = v;
  }
}

__device__ void expand(const Csr& g, const BfsState& st, int in, int n, int level,
                       const cg::grid_group& grid) {
  const int warp = grid.thread_rank() / 32;
  const int lane = threadIdx.x % 32;
  const int warps = grid.size() / 32;
  for (int i = warp; i < n; i += warps) {
    const int u = st.queue[in][i];
    const int end = g.row_ptr[u + 1];
    for (int e = g.row_ptr[u] + lane; e < end; e += 32) {
      relax(st, g.col_idx[e], level, 1 - in);
    }
  }
}

__global__ void bfs_kernel(Csr g, BfsState st) {
  const cg::grid_group grid = cg::this_grid();
  int in = 0;
  int level = 1;
  for (;;) {
    const int n = st.count[in];
    if (n == 0) break;
    expand(g, st, in, n, level, grid);
    grid.sync();
    if (grid.thread_rank() == 0) st.count[in] = 0;
    in = 1 - in;
    ++level;
  }
  if (grid.thread_rank() == 0) *st.levels = level;
}

__global__ void bfs_init(BfsState st, int nodes, int source) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < nodes) st.dist[i] = i == source ? 0 : -1;
  if (i == 0) {
    st.queue[0][0] = source;
    st.count[0] = 1;
    st.count[1] = 0;
  }
}

cudaError_t bfs(const Csr& g, BfsState st, int source, cudaStream_t s) {
  const int block = 256;
  int dev = 0, sms = 0, per_sm = 0;
  cudaGetDevice(&dev);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, bfs_kernel, block, 0);
  if (g.nodes <= 0 || per_sm == 0) return cudaErrorInvalidValue;

  bfs_init<<<(g.nodes + block - 1) / block, block, 0, s>>>(st, g.nodes, source);
  int grid = (g.nodes + block - 1) / block;
  if (grid > sms * per_sm) grid = sms * per_sm;
  Csr graph = g;
  void* args[] = {&graph, &st};
  return cudaLaunchCooperativeKernel((const void*)bfs_kernel, dim3(grid), dim3(block), args, 0, s);
}

}  // namespace graph
