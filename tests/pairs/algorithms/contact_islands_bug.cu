// Simulation islands: union-find over the contact graph of the current step.
#include <cuda_runtime.h>
#include <cuda/atomic>
#include <algorithm>
#include <cstdint>
#include <cstdio>

namespace phys {

struct Contact {
  int a, b;
  float depth;
  uint32_t flags;
};
enum : uint32_t { kSleeping = 1u, kSensor = 2u };

using Ref = cuda::atomic_ref<int, cuda::thread_scope_device>;

__device__ __forceinline__ int root_of(int* parent, int x) {
  int p = Ref(parent[x]).load(cuda::memory_order_relaxed);
  while (p != x) {
    x = p;
    p = Ref(parent[x]).load(cuda::memory_order_relaxed);
  }
  return x;
}

__device__ void unite(int* parent, int a, int b) {
  for (;;) {
    a = root_of(parent, a);
    b = root_of(parent, b);
    if (a == b) return;
    const int hi = max(a, b), lo = min(a, b);
    if (parent[hi] == hi) {
      parent[hi] = lo;
      return;
    }
  }
}

__global__ void k_reset(int* parent, int* size, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    parent[i] = i;
    size[i] = 0;
  }
}

__global__ void k_link(int* parent, const Contact* __restrict__ c, int n, const float* __restrict__ inv_mass) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const Contact k = c[i];
    if (k.flags & kSensor) continue;
    if (inv_mass[k.a] == 0.f || inv_mass[k.b] == 0.f) continue;
    unite(parent, k.a, k.b);
  }
}

// every body stores the final root; roots count their members
__global__ void k_label(const int* __restrict__ parent, int* label, int* size, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    int x = i;
    while (parent[x] != x) x = parent[x];
    label[i] = x;
    atomicAdd(&size[x], 1);
  }
}

class IslandBuilder {
 public:
  explicit IslandBuilder(int capacity) : cap_(capacity) {
    cudaMalloc(&parent_, sizeof(int) * cap_);
    cudaMalloc(&size_, sizeof(int) * cap_);
  }
  ~IslandBuilder() {
    cudaFree(parent_);
    cudaFree(size_);
  }
  cudaError_t build(const Contact* c, int nc, const float* inv_mass, int nb, int* label, cudaStream_t s) {
    if (nb > cap_) return cudaErrorInvalidValue;
    if (nb == 0) return cudaSuccess;
    k_reset<<<blocks(nb), kBlock, 0, s>>>(parent_, size_, nb);
    if (nc > 0) k_link<<<blocks(nc), kBlock, 0, s>>>(parent_, c, nc, inv_mass);
    k_label<<<blocks(nb), kBlock, 0, s>>>(parent_, label, size_, nb);
    return cudaGetLastError();
  }

 private:
  static constexpr int kBlock = 192;
  static int blocks(int n) { return std::min(1024, (n + kBlock - 1) / kBlock); }
  int cap_;
  int* parent_ = nullptr;
  int* size_ = nullptr;
};

}  // namespace phys

int main() {
  const int nb = 10000, nc = 30000;
  phys::Contact* c;
  float* im;
  int* label;
  cudaMalloc(&c, sizeof(*c) * nc);
  cudaMalloc(&im, sizeof(float) * nb);
  cudaMalloc(&label, sizeof(int) * nb);
  cudaMemset(c, 0, sizeof(*c) * nc);
  cudaMemset(im, 0x3f, sizeof(float) * nb);
  phys::IslandBuilder ib(nb);
  if (ib.build(c, nc, im, nb, label, 0) != cudaSuccess) return 1;
  return cudaDeviceSynchronize() != cudaSuccess;
}
