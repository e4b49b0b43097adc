// Connected components with a lock-free union-find forest.
#include <cuda_runtime.h>
#include <cuda/atomic>
#include <algorithm>
#include <vector>

namespace cc {

class Forest {
 public:
  int* parent;
  int n;

  __device__ int load(int v) const {
    return cuda::atomic_ref<int, cuda::thread_scope_device>(parent[v]).load(cuda::memory_order_relaxed);
  }
  __device__ int find(int v) const {
    int p = load(v);
    while (p != v) {
      const int g = load(p);
      if (g != p) atomicCAS(&parent[v], p, g);   // path halving
      v = p;
      p = g;
    }
    return v;
  }
  __device__ void unite(int a, int b) const {
    for (;;) {
      a = find(a);
      b = find(b);
      if (a == b) return;
      if (a < b) {
        const int t = a;
        a = b;
        b = t;
      }
      if (atomicCAS(&parent[a], a, b) == a) return;   // larger root points to the smaller one
    }
  }
};

__global__ void make_sets(Forest f) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < f.n) f.parent[v] = v;
}

__global__ void hook(Forest f, const int2* __restrict__ edges, int m) {
  for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < m; e += gridDim.x * blockDim.x) f.unite(edges[e].x, edges[e].y);
}

__global__ void label(Forest f, int* __restrict__ out, int* components) {
  __shared__ int roots;
  if (threadIdx.x == 0) roots = 0;
  __syncthreads();
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  bool root = false;
  if (v < f.n) {
    int r = v;
    while (f.parent[r] != r) r = f.parent[r];
    out[v] = r;
    root = r == v;
  }
  if (root) atomicAdd(&roots, 1);
  __syncthreads();
  if (threadIdx.x == 0 && roots > 0) atomicAdd(components, roots);
}

struct Config {
  int block = 256;
  int max_grid = 2048;
  int grid(long long items) const { return int(std::clamp<long long>((items + block - 1) / block, 1, max_grid)); }
};

int components(int n, const std::vector<int2>& edges, std::vector<int>& labels, Config cfg = {}) {
  if (n <= 0 || edges.size() > (1u << 29)) return 0;
  for (const int2& e : edges)
    if (e.x < 0 || e.y < 0 || e.x >= n || e.y >= n) return -1;
  Forest f{nullptr, n};
  int *out, *count;
  int2* de;
  cudaMalloc(&f.parent, sizeof(int) * n);
  cudaMalloc(&out, sizeof(int) * n);
  cudaMalloc(&count, sizeof(int));
  cudaMalloc(&de, sizeof(int2) * (edges.size() + 1));
  cudaMemset(count, 0, sizeof(int));
  cudaMemcpy(de, edges.data(), sizeof(int2) * edges.size(), cudaMemcpyHostToDevice);
  const int full = (n + cfg.block - 1) / cfg.block;
  make_sets<<<full, cfg.block>>>(f);
  hook<<<cfg.grid(edges.size()), cfg.block>>>(f, de, int(edges.size()));
  label<<<full, cfg.block>>>(f, out, count);
  int c = 0;
  labels.resize(n);
  cudaMemcpy(labels.data(), out, sizeof(int) * n, cudaMemcpyDeviceToHost);
  cudaMemcpy(&c, count, sizeof(int), cudaMemcpyDeviceToHost);
  for (int* p : {f.parent, out, count}) cudaFree(p);
  cudaFree(de);
  return c;
}

}  // namespace cc
