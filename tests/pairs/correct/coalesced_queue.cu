// Frontier expansion with warp-aggregated queue pushes (cooperative groups).
#include <cuda_runtime.h>
#include <algorithm>
#include <cooperative_groups.h>
#include <utility>

namespace cg = cooperative_groups;

struct Csr {
  const int* row_ptr;
  const int* col;
  int vertices;
};

class DeviceQueue {
 public:
  int* items;
  int* size;
  int capacity;

  __device__ void push(int v) {
    cg::coalesced_group g = cg::coalesced_threads();
    int base = 0;
    if (g.thread_rank() == 0) base = atomicAdd(size, (int)g.size());
    base = g.shfl(base, 0);
    const int pos = base + g.thread_rank();
    if (pos < capacity) items[pos] = v;
  }
};

__global__ void expand(Csr g, const int* __restrict__ frontier, int nf, int* level, int depth, DeviceQueue next) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < nf; i += gridDim.x * blockDim.x) {
    const int u = frontier[i];
    for (int e = g.row_ptr[u]; e < g.row_ptr[u + 1]; ++e) {
      const int v = g.col[e];
      if (atomicCAS(&level[v], -1, depth) == -1) next.push(v);
    }
  }
}

__global__ void init(int* level, int n, int* queue, int* size, int source) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) level[i] = i == source ? 0 : -1;
  if (i == 0) {
    queue[0] = source;
    *size = 0;
  }
}

class Bfs {
 public:
  explicit Bfs(Csr g) : g_(g) {
    cudaMalloc(&a_, sizeof(int) * g.vertices);
    cudaMalloc(&b_, sizeof(int) * g.vertices);
    cudaMalloc(&size_, sizeof(int));
    cudaMalloc(&level_, sizeof(int) * g.vertices);
  }
  ~Bfs() {
    for (int* p : {a_, b_, size_, level_}) cudaFree(p);
  }
  Bfs(const Bfs&) = delete;

  const int* run(int source, cudaStream_t s = nullptr) {
    if (g_.vertices <= 0 || source < 0 || source >= g_.vertices) return nullptr;
    init<<<(g_.vertices + 255) / 256, 256, 0, s>>>(level_, g_.vertices, a_, size_, source);
    int nf = 1;
    for (int depth = 1; nf > 0; ++depth) {
      DeviceQueue q{b_, size_, g_.vertices};
      const int grid = std::min((nf + kBlock - 1) / kBlock, 1024);
      expand<<<grid, kBlock, 0, s>>>(g_, a_, nf, level_, depth, q);
      cudaMemcpyAsync(&nf, size_, sizeof(int), cudaMemcpyDeviceToHost, s);
      cudaMemsetAsync(size_, 0, sizeof(int), s);
      if (cudaStreamSynchronize(s) != cudaSuccess) return nullptr;
      std::swap(a_, b_);
    }
    return level_;
  }

 private:
  static constexpr int kBlock = 160;
  Csr g_;
  int *a_ = nullptr, *b_ = nullptr, *size_ = nullptr, *level_ = nullptr;
};

const int* bfs_levels(Bfs& b, int src) { return b.run(src); }
