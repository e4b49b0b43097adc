#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <cstdint>

namespace cg = cooperative_groups;

namespace join {

constexpr int kTile = 8;
constexpr int kBlock = 256;
constexpr uint32_t kMissing = 0xffffffffu;

struct Bucket {
  uint32_t key[kTile];
  uint32_t value[kTile];
  uint32_t used;
  uint32_t next;  // overflow chain, kMissing at the end
};

struct Table {
  const Bucket* buckets;
  uint32_t mask;  // number of home buckets - 1
};

__device__ __forceinline__ uint32_t mix(uint32_t h) {
  h ^= h >> 16;
  h *= 0x85ebca6bu;
  h ^= h >> 13;
  h *= 0xc2b2ae35u;
  return h ^ (h >> 16);
}

template <typename Tile>
__device__ uint32_t find(const Tile& tile, const Table& t, uint32_t key) {
  uint32_t b = mix(key) & t.mask;
  while (b != kMissing) {
    const Bucket& bk = t.buckets[b];
    const uint32_t r = tile.thread_rank();
    const bool in_use = r < bk.used;
    const bool hit = in_use && bk.key[r] == key;
    if (in_use && tile.any(hit)) {
      const uint32_t who = __ffs(tile.ballot(hit)) - 1;
      return bk.value[who];
    }
    b = bk.next;
  }
  return kMissing;
}

__global__ void __launch_bounds__(kBlock)
probe_kernel(Table t, const uint32_t* keys, int n, uint32_t* values, int* hits) {
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<kTile>(block);
  const int tiles_total = gridDim.x * (kBlock / kTile);
  int found = 0;

  for (int i = blockIdx.x * (kBlock / kTile) + tile.meta_group_rank(); i < n; i += tiles_total) {
    const uint32_t v = find(tile, t, keys[i]);
    const uint32_t got = tile.ballot(v != kMissing);
    if (tile.thread_rank() == 0) {
      values[i] = v;
      found += got != 0;
    }
  }
  block.sync();
  if (tile.thread_rank() == 0 && found > 0) atomicAdd(hits, found);
}

void probe(const Table& t, const uint32_t* keys, int n, uint32_t* values, int* hits,
           cudaStream_t stream) {
  if (n <= 0) return;
  cudaMemsetAsync(hits, 0, sizeof(int), stream);
  const int per_block = kBlock / kTile;
  int grid = (n + per_block - 1) / per_block;
  if (grid > 4096) grid = 4096;
  probe_kernel<<<grid, kBlock, 0, stream>>>(t, keys, n, values, hits);
}

}  // namespace join
