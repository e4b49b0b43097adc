// Open addressing hash table with cooperative probing (windows of 8 slots).
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda_runtime.h>
#include <cstdint>

namespace cg = cooperative_groups;

namespace hashing {

using Key = uint32_t;
using Value = uint32_t;
using Slot = unsigned long long;

constexpr int kTile = 8;
constexpr Key kEmptyKey = 0xffffffffu;
constexpr Slot kEmptySlot = ~0ull;

using Tile = cg::thread_block_tile<kTile>;

__host__ __device__ inline Slot make_slot(Key k, Value v) { return ((Slot)k << 32) | v; }
__host__ __device__ inline Key key_of(Slot s) { return (Key)(s >> 32); }

__device__ inline uint32_t mix(uint32_t h) {
  h ^= h >> 16;
  h *= 0x85ebca6bu;
  h ^= h >> 13;
  h *= 0xc2b2ae35u;
  return h ^ (h >> 16);
}

struct TableView {
  Slot* slots;
  uint32_t windows;  // power of two
};

// All lanes of the tile have the same key. Returns false when the table is full.
__device__ bool insert_one(const Tile& tile, const TableView& t, Key k, Value v) {
  uint32_t w = mix(k) & (t.windows - 1);
  for (uint32_t probe = 0; probe < t.windows; ++probe) {
    Slot* p = t.slots + (size_t)w * kTile + tile.thread_rank();
    Slot cur = cuda::atomic_ref<Slot, cuda::thread_scope_device>(*p).load(cuda::memory_order_relaxed);
    for (;;) {
      const unsigned same = tile.ballot(key_of(cur) == k);
      if (same) {
        if ((int)tile.thread_rank() == __ffs(same) - 1) atomicExch(p, make_slot(k, v));
        return true;
      }
      const unsigned free = tile.ballot(cur == kEmptySlot);
      if (!free) break;
      const int who = __ffs(free) - 1;
      Slot old = cur;
      if ((int)tile.thread_rank() == who) {
        old = atomicCAS(p, kEmptySlot, make_slot(k, v));
        cur = old == kEmptySlot ? make_slot(k, v) : old;
      }
      if (tile.shfl(old, who) == kEmptySlot) return true;
    }
    w = (w + 1) & (t.windows - 1);
  }
  return false;
}

__global__ void clear(TableView t) {
  const size_t n = (size_t)t.windows * kTile;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
    t.slots[i] = kEmptySlot;
}

// One key for each lane; the tile inserts them one after the other.
__global__ void insert_all(TableView t, const Key* keys, const Value* vals, int n, int* failed) {
  const Tile tile = cg::tiled_partition<kTile>(cg::this_thread_block());
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const Key key = i < n ? keys[i] : kEmptyKey;
  const Value val = i < n ? vals[i] : 0;

  // the reserved key can not be stored
  if (i < n && key != kEmptyKey) {
    unsigned todo = tile.ballot(1);
    while (todo) {
      const int src = __ffs(todo) - 1;
      const Key k = tile.shfl(key, src);
      const Value v = tile.shfl(val, src);
      if (!insert_one(tile, t, k, v) && tile.thread_rank() == 0) atomicAdd(failed, 1);
      todo &= todo - 1;
    }
  }
}

// Each lane probes for itself: no cooperation in lookups of short chains.
__global__ void find_all(TableView t, const Key* keys, Value* out, Value missing, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Key k = keys[i];
  Value res = missing;
  uint32_t w = mix(k) & (t.windows - 1);
  bool stop = k == kEmptyKey;
  for (uint32_t probe = 0; probe < t.windows && !stop; ++probe) {
    for (int s = 0; s < kTile; ++s) {
      const Slot cur = t.slots[(size_t)w * kTile + s];
      if (key_of(cur) == k) {
        res = (Value)cur;
        stop = true;
        break;
      }
      if (cur == kEmptySlot) {
        stop = true;
        break;
      }
    }
    w = (w + 1) & (t.windows - 1);
  }
  out[i] = res;
}

cudaError_t build(TableView t, const Key* keys, const Value* vals, int n, int* failed, cudaStream_t st) {
  if (t.windows == 0 || (t.windows & (t.windows - 1)) != 0) return cudaErrorInvalidValue;
  cudaMemsetAsync(failed, 0, sizeof(int), st);
  clear<<<256, 256, 0, st>>>(t);
  if (n > 0) insert_all<<<(n + 127) / 128, 128, 0, st>>>(t, keys, vals, n, failed);
  return cudaGetLastError();
}

cudaError_t lookup(TableView t, const Key* keys, Value* out, Value missing, int n, cudaStream_t st) {
  if (n > 0) find_all<<<(n + 127) / 128, 128, 0, st>>>(t, keys, out, missing, n);
  return cudaGetLastError();
}

}  // namespace hashing
