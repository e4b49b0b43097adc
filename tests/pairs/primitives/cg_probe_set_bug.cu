#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

// Open addressing set with cooperative probing: a tile looks at one bucket of
// slots at a time. Used to deduplicate minimizers.

namespace cset {

using Key = uint64_t;
constexpr Key kVoid = ~Key(0);

enum class Insert { Added, Present, Full };

template <int TILE>
struct DeviceSet {
  using Tile = cg::thread_block_tile<TILE>;
  Key* slots;
  uint32_t buckets;

  __device__ static uint32_t hash(Key k) {
    k ^= k >> 33;
    k *= 0xff51afd7ed558ccdull;
    k ^= k >> 33;
    k *= 0xc4ceb9fe1a85ec53ull;
    return uint32_t(k >> 32);
  }

  __device__ Key peek(uint32_t slot) const { return *const_cast<const volatile Key*>(slots + slot); }

  // All threads of the tile pass the same key.
  __device__ Insert insert(const Tile& tile, Key key) {
    uint32_t bucket = hash(key) % buckets;
    const uint32_t stride = 1 + hash(~key) % 5;
    for (uint32_t probe = 0; probe < buckets;) {
      const uint32_t slot = bucket * TILE + tile.thread_rank();
      const Key here = peek(slot);
      if (tile.any(here == key)) return Insert::Present;
      const unsigned open = tile.ballot(here == kVoid);
      if (open) {
        const int leader = __ffs(open) - 1;
        Key old = kVoid;
        if (here == kVoid) {
          if (int(tile.thread_rank()) == leader) old = claim(slot, key);
          old = tile.shfl(old, leader);
        }
        const bool mine = tile.any(here == kVoid && old == kVoid);
        if (mine) return Insert::Added;
        if (tile.any(here == kVoid && old == key)) return Insert::Present;
        continue;
      }
      bucket = (bucket + stride) % buckets;
      ++probe;
    }
    return Insert::Full;
  }

 private:
  __device__ Key claim(uint32_t slot, Key key) {
    return atomicCAS(reinterpret_cast<unsigned long long*>(slots + slot), (unsigned long long)kVoid,
                     (unsigned long long)key);
  }
};

struct Stats {
  unsigned long long added, present, full;
};

template <int TILE>
__global__ void insertAll(DeviceSet<TILE> set, const Key* keys, int n, Stats* stats) {
  const auto tile = cg::tiled_partition<TILE>(cg::this_thread_block());
  const int group = (blockIdx.x * blockDim.x + threadIdx.x) / TILE;
  const int groups = gridDim.x * blockDim.x / TILE;
  for (int i = group; i < n; i += groups) {
    const Insert r = set.insert(tile, keys[i]);
    if (tile.thread_rank() == 0) {
      switch (r) {
        case Insert::Added: atomicAdd(&stats->added, 1ull); break;
        case Insert::Present: atomicAdd(&stats->present, 1ull); break;
        case Insert::Full: atomicAdd(&stats->full, 1ull); break;
      }
    }
    tile.sync();
  }
}

template <int TILE>
Stats deduplicate(const std::vector<Key>& keys, uint32_t buckets) {
  DeviceSet<TILE> set{nullptr, buckets};
  Key* d;
  Stats* s;
  cudaMalloc(&set.slots, size_t(buckets) * TILE * sizeof(Key));
  cudaMemset(set.slots, 0xff, size_t(buckets) * TILE * sizeof(Key));
  cudaMalloc(&d, keys.size() * sizeof(Key));
  cudaMalloc(&s, sizeof(Stats));
  cudaMemset(s, 0, sizeof(Stats));
  cudaMemcpy(d, keys.data(), keys.size() * sizeof(Key), cudaMemcpyHostToDevice);
  insertAll<TILE><<<432, 256>>>(set, d, int(keys.size()), s);
  Stats h{};
  cudaMemcpy(&h, s, sizeof h, cudaMemcpyDeviceToHost);
  cudaFree(set.slots);
  cudaFree(d);
  cudaFree(s);
  return h;
}

}  // namespace cset

int main() {
  std::vector<cset::Key> keys(2000003);
  uint64_t x = 88172645463325252ull;
  for (auto& k : keys) {
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    k = x % 1500000;
  }
  const cset::Stats a = cset::deduplicate<8>(keys, 262147);
  const cset::Stats b = cset::deduplicate<4>(keys, 524309);
  printf("%llu %llu %llu\n%llu %llu %llu\n", a.added, a.present, a.full, b.added, b.present, b.full);
  return cudaGetLastError() != cudaSuccess;
}
