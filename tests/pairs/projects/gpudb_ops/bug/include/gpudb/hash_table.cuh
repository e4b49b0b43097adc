#pragma once
#include "gpudb/relation.h"

namespace gpudb {

__host__ __device__ __forceinline__ uint32_t mix(uint32_t h) {
  h ^= h >> 16;
  h *= 0x85ebca6bu;
  h ^= h >> 13;
  h *= 0xc2b2ae35u;
  return h ^ (h >> 16);
}

struct Slot {
  key_t key;
  val_t val;
};

// Open addressing, linear probing, unique keys on the build side.
class DeviceHashTable {
 public:
  __host__ __device__ DeviceHashTable(Slot* slots, uint32_t mask) : slots_(slots), mask_(mask) {}

  __device__ void insert(key_t k, val_t v) {
    uint32_t h = mix(k) & mask_;
    while (true) {
      if (slots_[h].key == kEmptyKey) {
        slots_[h].key = k;
        slots_[h].val = v;
        return;
      }
      h = (h + 1) & mask_;
    }
  }

  __device__ bool find(key_t k, val_t& v) const {
    uint32_t h = mix(k) & mask_;
    while (slots_[h].key != kEmptyKey) {
      if (slots_[h].key == k) {
        v = slots_[h].val;
        return true;
      }
      h = (h + 1) & mask_;
    }
    return false;
  }

 private:
  Slot* slots_;
  uint32_t mask_;
};

// Per-block aggregation table in shared memory.
template <int CAP, int BLOCK>
struct LocalAggTable {
  static_assert((CAP & (CAP - 1)) == 0 && CAP >= 2 * BLOCK, "");
  static constexpr int kMaxProbe = 16;
  key_t keys[CAP];
  unsigned long long sums[CAP];
  unsigned cnts[CAP];

  __device__ void clear() {
    for (int s = threadIdx.x; s < CAP; s += BLOCK) {
      keys[s] = kEmptyKey;
      sums[s] = 0;
      cnts[s] = 0;
    }
    __syncthreads();
  }

  __device__ bool try_add(key_t k, val_t v, int max_probe) {
    uint32_t h = mix(k) & (CAP - 1);
    for (int p = 0; p < max_probe; ++p) {
      const key_t old = atomicCAS(&keys[h], kEmptyKey, k);
      if (old == kEmptyKey || old == k) {
        atomicAdd(&sums[h], static_cast<unsigned long long>(static_cast<long long>(v)));
        atomicAdd(&cnts[h], 1u);
        return true;
      }
      h = (h + 1) & (CAP - 1);
    }
    return false;
  }

  template <class Sink>
  __device__ void flush(Sink sink) {
    __syncthreads();
    for (int s = threadIdx.x; s < CAP; s += BLOCK) {
      if (keys[s] != kEmptyKey) sink(keys[s], sums[s], cnts[s]);
      keys[s] = kEmptyKey;
      sums[s] = 0;
      cnts[s] = 0;
    }
    __syncthreads();
  }
};

}  // namespace gpudb
