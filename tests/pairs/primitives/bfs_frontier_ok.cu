#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

// Level synchronous breadth first search with block-local output queues.

struct Graph {
  int vertices;
  const int* offsets;
  const int* targets;
};

struct Frontier {
  int* items;
  int* size;
};

template <int BLOCK, int CAP>
class BlockQueue {
  static_assert(CAP >= 2 * BLOCK, "room for one push of every thread");

 public:
  struct Storage {
    int item[CAP];
    int n;
    int base;
  };

  __device__ BlockQueue(Storage& s, const Frontier& out) : s_(s), out_(out) {
    if (threadIdx.x == 0) s_.n = 0;
    __syncthreads();
  }

  __device__ void push(int v) { s_.item[atomicAdd(&s_.n, 1)] = v; }

  __device__ void flushIfNeeded() {
    __syncthreads();
    if (s_.n > CAP - BLOCK) flush();
  }

  __device__ void flush() {
    const int n = s_.n;
    if (threadIdx.x == 0) s_.base = atomicAdd(out_.size, n);
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += BLOCK) out_.items[s_.base + i] = s_.item[i];
    __syncthreads();
    if (threadIdx.x == 0) s_.n = 0;
    __syncthreads();
  }

 private:
  Storage& s_;
  const Frontier& out_;
};

template <int BLOCK>
__global__ void __launch_bounds__(BLOCK)
    expandLevel(Graph g, const int* frontier, int count, Frontier out, int* depth, int level) {
  using Queue = BlockQueue<BLOCK, 4 * BLOCK>;
  __shared__ typename Queue::Storage mem;
  Queue queue(mem, out);

  for (int first = blockIdx.x * BLOCK; first < count; first += gridDim.x * BLOCK) {
    const int i = first + threadIdx.x;
    int e = 0, end = 0;
    if (i < count) {
      const int v = frontier[i];
      e = g.offsets[v];
      end = g.offsets[v + 1];
    }

    while (__syncthreads_or(e < end)) {
      if (e < end) {
        const int u = g.targets[e++];
        if (atomicCAS(depth + u, -1, level) == -1) queue.push(u);
      }
      queue.flushIfNeeded();
    }
  }
  __syncthreads();
  queue.flush();
}

class Bfs {
 public:
  explicit Bfs(const Graph& g) : g_(g) {
    cudaMalloc(&q_[0], sizeof(int) * g.vertices);
    cudaMalloc(&q_[1], sizeof(int) * g.vertices);
    cudaMalloc(&size_, sizeof(int));
  }
  ~Bfs() {
    cudaFree(q_[0]);
    cudaFree(q_[1]);
    cudaFree(size_);
  }

  int run(int source, int* depth) {
    constexpr int kBlock = 256;
    cudaMemset(depth, 0xff, sizeof(int) * g_.vertices);
    const int zero = 0;
    cudaMemcpy(depth + source, &zero, sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(q_[0], &source, sizeof(int), cudaMemcpyHostToDevice);
    int count = 1, level = 0;
    while (count > 0) {
      ++level;
      cudaMemset(size_, 0, sizeof(int));
      const int blocks = std::min(512, (count + kBlock - 1) / kBlock);
      expandLevel<kBlock><<<blocks, kBlock>>>(g_, q_[0], count, Frontier{q_[1], size_}, depth, level);
      cudaMemcpy(&count, size_, sizeof(int), cudaMemcpyDeviceToHost);
      std::swap(q_[0], q_[1]);
    }
    return level;
  }

 private:
  Graph g_;
  int* q_[2] = {nullptr, nullptr};
  int* size_ = nullptr;
};

int main() {
  const int n = 200000;
  std::vector<int> off(1, 0), dst;
  for (int v = 0; v < n; ++v) {
    const int deg = 1 + (v * 7919) % 13 + (v % 1000 == 0 ? 500 : 0);
    for (int k = 0; k < deg; ++k) dst.push_back(int((v * 31LL + k * 104729LL + 1) % n));
    off.push_back(int(dst.size()));
  }
  int *o, *t, *depth;
  cudaMalloc(&o, off.size() * sizeof(int));
  cudaMalloc(&t, dst.size() * sizeof(int));
  cudaMalloc(&depth, n * sizeof(int));
  cudaMemcpy(o, off.data(), off.size() * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(t, dst.data(), dst.size() * sizeof(int), cudaMemcpyHostToDevice);
  Bfs bfs({n, o, t});
  printf("%d levels, %s\n", bfs.run(0, depth), cudaGetErrorString(cudaGetLastError()));
  return 0;
}
