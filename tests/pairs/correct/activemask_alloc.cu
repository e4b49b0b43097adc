// Bump allocator with opportunistic aggregation of the lanes that arrive together.
#include <cuda_runtime.h>
#include <cstdint>

namespace arena {

struct Arena {
  unsigned long long* cursor;
  unsigned long long limit;
  char* base;
};

__device__ __forceinline__ unsigned lane_id() {
  unsigned l;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(l));
  return l;
}

// returns nullptr when the arena is exhausted; every block has BYTES bytes
template <unsigned BYTES>
__device__ void* allocate(const Arena& a) {
  static_assert(BYTES % 16 == 0, "aligned blocks");
  const unsigned active = __activemask();
  const unsigned leader = __ffs(active) - 1;
  const unsigned lane = lane_id();
  unsigned long long start = 0;
  if (lane == leader) start = atomicAdd(a.cursor, (unsigned long long)BYTES * __popc(active));
  start = __shfl_sync(active, start, leader);
  start += (unsigned long long)BYTES * __popc(active & ((1u << lane) - 1u));
  return start + BYTES <= a.limit ? a.base + start : nullptr;
}

struct __align__(16) Node {
  int key;
  int depth;
  unsigned long long next;
};
static_assert(sizeof(Node) == 16, "");

__global__ void build_lists(const int* __restrict__ keys, int n, unsigned long long* heads, int buckets, Arena arena, unsigned* lost) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int k = keys[i];
  if (k < 0) return;
  Node* nd = nullptr;
  switch (k & 3) {
    case 0:
    case 2:
      nd = static_cast<Node*>(allocate<sizeof(Node)>(arena));
      break;
    case 1:
      nd = static_cast<Node*>(allocate<2 * sizeof(Node)>(arena));
      break;
    default:
      return;
  }
  if (!nd) {
    atomicAdd(lost, 1u);
    return;
  }
  nd->key = k;
  nd->depth = k & 3;
  nd->next = atomicExch(&heads[k % buckets], (unsigned long long)nd);
}

__global__ void list_lengths(const unsigned long long* __restrict__ heads, int buckets, int* __restrict__ len) {
  const int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= buckets) return;
  int c = 0;
  for (const Node* p = reinterpret_cast<const Node*>(heads[b]); p; p = reinterpret_cast<const Node*>(p->next)) ++c;
  len[b] = c;
}

void build(const int* keys, int n, unsigned long long* heads, int* len, int buckets, size_t bytes) {
  if (n <= 0 || buckets <= 0) return;
  Arena a{};
  unsigned* lost = nullptr;
  a.limit = bytes / 16 * 16;
  cudaMalloc(&a.cursor, sizeof(*a.cursor));
  cudaMalloc(&a.base, a.limit + 16);
  cudaMalloc(&lost, sizeof(unsigned));
  cudaMemset(a.cursor, 0, sizeof(*a.cursor));
  cudaMemset(lost, 0, sizeof(unsigned));
  cudaMemset(heads, 0, sizeof(*heads) * buckets);
  build_lists<<<(n + 99) / 100, 100>>>(keys, n, heads, buckets, a, lost);
  list_lengths<<<(buckets + 127) / 128, 128>>>(heads, buckets, len);
  cudaDeviceSynchronize();
  cudaFree(a.cursor);
  cudaFree(a.base);
  cudaFree(lost);
}

}  // namespace arena
