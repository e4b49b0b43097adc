// Open-addressing hash map; key and value are packed in one 64-bit slot.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstddef>
#include <cuda/atomic>

namespace hash {

using Slot = unsigned long long;
static constexpr Slot kEmpty = ~Slot(0);

struct Map {
  Slot* slots;
  uint32_t mask;

  __host__ __device__ static uint32_t mix(uint32_t h) {
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    return h ^ (h >> 16);
  }
  __device__ static Slot make(uint32_t k, uint32_t v) { return Slot(k) << 32 | v; }

  // keeps the smallest value seen for a key
  __device__ bool insert_min(uint32_t k, uint32_t v) const {
    const Slot mine = make(k, v);
    uint32_t i = mix(k) & mask;
    for (uint32_t probes = 0; probes <= mask; ++probes, i = (i + 1) & mask) {
      const Slot old = atomicCAS(&slots[i], kEmpty, mine);
      if (old == kEmpty) return true;
      if (uint32_t(old >> 32) == k) {
        atomicMin(&slots[i], mine);
        return true;
      }
    }
    return false;
  }
  __device__ uint32_t find(uint32_t k, uint32_t missing) const {
    uint32_t i = mix(k) & mask;
    for (uint32_t probes = 0; probes <= mask; ++probes, i = (i + 1) & mask) {
      const Slot s = slots[i];
      if (s == kEmpty) return missing;
      if (uint32_t(s >> 32) == k) return uint32_t(s);
    }
    return missing;
  }
};

__global__ void insert_all(Map m, const uint32_t* __restrict__ keys, uint32_t n, unsigned* failed) {
  __shared__ unsigned bad;
  if (threadIdx.x == 0) bad = 0;
  __syncthreads();
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && keys[i] != 0xffffffffu && !m.insert_min(keys[i], i)) atomicAdd(&bad, 1u);
  __syncthreads();
  if (threadIdx.x == 0 && bad) atomicAdd(failed, bad);
}

__global__ void first_occurrence(Map m, const uint32_t* __restrict__ keys, uint32_t n, uint32_t* __restrict__ unique, unsigned* count) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool first = i < n && keys[i] != 0xffffffffu && m.find(keys[i], ~0u) == i;
  const int block_total = __syncthreads_count(first);
  __shared__ unsigned base, cursor;
  if (threadIdx.x == 0) {
    base = block_total ? atomicAdd(count, unsigned(block_total)) : 0u;
    cursor = 0;
  }
  __syncthreads();
  if (block_total == 0) return;
  if (first) unique[base + atomicAdd(&cursor, 1u)] = keys[i];
}

struct Result {
  unsigned unique = 0, failed = 0;
};

Result unique_keys(const uint32_t* keys, uint32_t n, uint32_t* unique, double load = 0.5) {
  Result r;
  if (n == 0 || n > (1u << 28)) return r;
  if (!(load > 0.1 && load <= 0.9)) load = 0.5;
  size_t cap = 64;
  while (cap * load < n) cap *= 2;
  Map m{nullptr, uint32_t(cap - 1)};
  unsigned* counters;
  cudaMalloc(&m.slots, cap * sizeof(Slot));
  cudaMalloc(&counters, 2 * sizeof(unsigned));
  cudaMemset(m.slots, 0xff, cap * sizeof(Slot));
  cudaMemset(counters, 0, 2 * sizeof(unsigned));
  const unsigned block = 200, grid = (n + block - 1) / block;
  insert_all<<<grid, block>>>(m, keys, n, counters + 1);
  first_occurrence<<<grid, block>>>(m, keys, n, unique, counters);
  unsigned h[2];
  cudaMemcpy(h, counters, sizeof h, cudaMemcpyDeviceToHost);
  r.unique = h[0];
  r.failed = h[1];
  cudaFree(m.slots);
  cudaFree(counters);
  return r;
}

}  // namespace hash
