#include <cuda_runtime.h>
#include <cstdint>
#include <algorithm>

namespace cuhash {

using Key = uint32_t;
using Value = uint32_t;
static constexpr Key kEmpty = 0xffffffffu;

struct TableView {
  const Key* keys;
  const Value* vals;
  uint32_t num_buckets;
  uint32_t seed;

  __device__ uint32_t bucket(Key k) const {
    k ^= seed;
    k ^= k >> 16;
    k *= 0x7feb352du;
    k ^= k >> 15;
    return k % num_buckets;
  }
};

template <int LANES>
struct SubWarp {
  static_assert(32 % LANES == 0, "");
  unsigned mask;
  int rank;
  int id;
  __device__ SubWarp() {
    const int lane = threadIdx.x & 31;
    rank = lane % LANES;
    id = threadIdx.x / LANES;
    mask = LANES == 32 ? 0xffffffffu : (((1u << (LANES & 31)) - 1u) << (lane - rank));
  }
  __device__ void sync() const { __syncwarp(mask); }
};

template <int LANES>
struct ProbeScratch {
  Key seen[LANES];
  int hit;
};

struct FindArgs {
  TableView table;
  const Key* queries;
  Value* results;
  int n;
  int max_probe;
  Value not_found;
};

template <int BLOCK, int LANES>
__global__ void __launch_bounds__(BLOCK) find_kernel(FindArgs a) {
  __shared__ ProbeScratch<LANES> scratch[BLOCK / LANES];
  const SubWarp<LANES> tile;
  ProbeScratch<LANES>& s = scratch[tile.id];
  const int tiles = gridDim.x * (BLOCK / LANES);

  for (int q = blockIdx.x * (BLOCK / LANES) + tile.id; q < a.n; q += tiles) {
    const Key key = a.queries[q];
    uint32_t b = a.table.bucket(key);
    Value result = a.not_found;
    for (int probe = 0; probe < a.max_probe; ++probe) {
      const size_t slot = size_t(b) * LANES + tile.rank;
      s.seen[tile.rank] = a.table.keys[slot];
      tile.sync();
      if (tile.rank == 0) {
        int hit = -2;
        for (int l = 0; l < LANES; ++l) {
          const Key k = s.seen[l];
          if (k == key) { hit = l; break; }
          if (k == kEmpty) { hit = -1; break; }
        }
        s.hit = hit;
      }
      tile.sync();
      const int hit = s.hit;
      tile.sync();
      if (hit >= 0) result = a.table.vals[size_t(b) * LANES + hit];
      if (hit != -2) break;
      b = b + 1 == a.table.num_buckets ? 0 : b + 1;
    }
    if (tile.rank == 0) a.results[q] = result;
  }
}

template <int LANES>
void launch_find(const FindArgs& a, int sms, cudaStream_t s) {
  constexpr int BLOCK = 128;
  const int need = (a.n + BLOCK / LANES - 1) / (BLOCK / LANES);
  find_kernel<BLOCK, LANES><<<std::max(1, std::min(need, sms * 16)), BLOCK, 0, s>>>(a);
}

void find(const FindArgs& a, int bucket_size, int sms, cudaStream_t s) {
  switch (bucket_size) {
    case 8: launch_find<8>(a, sms, s); break;
    case 16: launch_find<16>(a, sms, s); break;
    case 32: launch_find<32>(a, sms, s); break;
  }
}

}  // namespace cuhash
