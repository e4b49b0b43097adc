// Level synchronous BFS, top-down, one warp per frontier vertex. New vertices are
// appended to the next frontier with one atomic per warp.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Graph {
  int nv;
  const int* off;
  const int* adj;
};

__device__ int append(int* queue, int* tail, int v, bool fresh) {
  const int lane = threadIdx.x & 31;
  int slot = -1;
  if (fresh) {
    const unsigned who = __ballot_sync(0xffffffffu, fresh);
    const int leader = __ffs(who) - 1;
    int base = 0;
    if (lane == leader) base = atomicAdd(tail, __popc(who));
    base = __shfl_sync(who, base, leader);
    slot = base + __popc(who & ((1u << lane) - 1u));
    queue[slot] = v;
  }
  return slot;
}

__global__ void expand(Graph g, const int* __restrict__ frontier, int n, int* next, int* tail,
                       int* depth, int level) {
  const int lane = threadIdx.x & 31;
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
  const int warps = gridDim.x * blockDim.x >> 5;
  for (int f = warp; f < n; f += warps) {
    const int u = frontier[f];
    const int end = g.off[u + 1];
    for (int e0 = g.off[u]; e0 < end; e0 += 32) {
      const int e = e0 + lane;
      int v = -1;
      bool fresh = false;
      if (e < end) {
        v = g.adj[e];
        fresh = atomicCAS(&depth[v], -1, level + 1) == -1;
      }
      append(next, tail, v, fresh);
    }
  }
}

int bfs(const Graph& g, int source, int* depth, int* qa, int* qb, int* tail) {
  int zero = 0, n = 1, level = 0;
  cudaMemset(depth, 0xff, g.nv * sizeof(int));
  cudaMemcpy(depth + source, &zero, sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(qa, &source, sizeof(int), cudaMemcpyHostToDevice);
  while (n > 0) {
    cudaMemset(tail, 0, sizeof(int));
    const long long need = ((long long)n * 32 + 255) / 256;
    expand<<<(int)(need < 2048 ? need : 2048), 256>>>(g, qa, n, qb, tail, depth, level);
    if (cudaMemcpy(&n, tail, sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess) return -1;
    int* t = qa; qa = qb; qb = t;
    ++level;
  }
  return level;
}

int main() {
  const int nv = 1 << 18;
  std::vector<int> off(1, 0), adj;
  unsigned s = 1;
  for (int v = 0; v < nv; ++v) {
    const int deg = 1 + v % 40;
    for (int k = 0; k < deg; ++k) {
      s = s * 1103515245u + 12345u;
      adj.push_back((s >> 8) % nv);
    }
    off.push_back((int)adj.size());
  }
  int *dOff, *dAdj, *depth, *qa, *qb, *tail;
  cudaMalloc(&dOff, off.size() * sizeof(int));
  cudaMalloc(&dAdj, adj.size() * sizeof(int));
  cudaMalloc(&depth, nv * sizeof(int));
  cudaMalloc(&qa, nv * sizeof(int));
  cudaMalloc(&qb, nv * sizeof(int));
  cudaMalloc(&tail, sizeof(int));
  cudaMemcpy(dOff, off.data(), off.size() * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(dAdj, adj.data(), adj.size() * sizeof(int), cudaMemcpyHostToDevice);
  const Graph g{nv, dOff, dAdj};
  std::printf("%d levels\n", bfs(g, 0, depth, qa, qb, tail));
  return 0;
}
