#include <cuda_runtime.h>
#include <cstdint>
#include <algorithm>

namespace slab {

static constexpr uint32_t kEmptyKey = 0xffffffffu;
static constexpr uint32_t kNone = 0xfffffffeu;

struct SlabTable {
  uint32_t* keys;        // slabs x LANES
  uint32_t slabs;
};

template <int LANES>
struct SlabTile {
  int rank;
  int base;
  unsigned mask;
  __device__ SlabTile() {
    const int lane = threadIdx.x & 31;
    rank = lane & (LANES - 1);
    base = lane - rank;
    mask = LANES == 32 ? ~0u : ((1u << (LANES & 31)) - 1u) << base;
  }
  // Bit r of the result belongs to the tile's lane of rank r.
  __device__ unsigned ballot(bool p) const {
    const unsigned b = __ballot_sync(mask, p) >> base;
    return LANES == 32 ? b : b & ((1u << (LANES & 31)) - 1u);
  }
  template <typename T>
  __device__ T bcast(T v, int src_rank) const {
    return __shfl_sync(mask, v, src_rank);
  }
};

__device__ __forceinline__ uint32_t mix(uint32_t h) {
  h ^= h >> 16;
  h *= 0x85ebca6bu;
  h ^= h >> 13;
  h *= 0xc2b2ae35u;
  return h ^ (h >> 16);
}

struct InsertArgs {
  SlabTable t;
  const uint32_t* keys;
  uint32_t* slot_of;
  unsigned int* failed;
  int n;
  int max_slabs;
};

// Returns the slot index, or kNone when the slab has no room.
template <int LANES>
__device__ __forceinline__ uint32_t try_slab(const SlabTile<LANES>& tile, uint32_t* slab_keys, uint32_t slab,
                                             uint32_t key) {
  while (true) {
    const uint32_t cur = atomicOr(&slab_keys[tile.rank], 0u);
    const unsigned same = tile.ballot(cur == key);
    if (same) return slab * LANES + (__ffs(same) - 1);
    const unsigned room = tile.ballot(cur == kEmptyKey);
    if (!room) return kNone;
    const int winner = __ffs(room) - 1;
    uint32_t got = kNone;
    if (tile.rank == winner) {
      const uint32_t old = atomicCAS(&slab_keys[winner], kEmptyKey, key);
      if (old == kEmptyKey || old == key) got = slab * LANES + winner;
    }
    got = tile.bcast(got, winner);
    if (got != kNone) return got;
  }
}

template <int BLOCK, int LANES>
__global__ void __launch_bounds__(BLOCK) insert_kernel(InsertArgs a) {
  const SlabTile<LANES> tile;
  constexpr int TPB = BLOCK / LANES;
  for (int i = blockIdx.x * TPB + threadIdx.x / LANES; i < a.n; i += gridDim.x * TPB) {
    const uint32_t key = a.keys[i];
    uint32_t slab = mix(key) % a.t.slabs;
    uint32_t slot = kNone;
    for (int tries = 0; tries < a.max_slabs && slot == kNone; ++tries) {
      slot = try_slab<LANES>(tile, a.t.keys + size_t(slab) * LANES, slab, key);
      slab = slab + 1 == a.t.slabs ? 0 : slab + 1;
    }
    if (tile.rank == 0) {
      a.slot_of[i] = slot;
      if (slot == kNone) atomicAdd(a.failed, 1u);
    }
  }
}

template <int LANES>
void launch(const InsertArgs& a, int blocks, cudaStream_t s) {
  insert_kernel<256, LANES><<<blocks, 256, 0, s>>>(a);
}

void insert(const InsertArgs& a, int lanes, int sms, cudaStream_t s) {
  const int per = 256 / lanes;
  const int blocks = std::max(1, std::min((a.n + per - 1) / per, sms * 8));
  if (lanes == 16)
    launch<16>(a, blocks, s);
  else
    launch<32>(a, blocks, s);
}

}  // namespace slab
