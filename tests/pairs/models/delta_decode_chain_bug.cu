// Decoding of delta encoded columns (Parquet style): 64-bit prefix sum in one pass over the data,
// tiles are chained through a flag in global memory.
#include <cuda/atomic>
#include <cuda_runtime.h>
#include <cstdint>

constexpr int kBlock = 256;
constexpr int kItems = 8;
constexpr int kTile = kBlock * kItems;

using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;

struct ChainState {
  unsigned int next_tile;
  unsigned int pad[3];
};

// One entry for each tile, all zero before the kernel.
struct TilePrefix {
  long long inclusive;
  int ready;
  int pad;
};

__device__ long long block_exclusive_scan(long long v, long long* warp_sums, long long* total) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  long long incl = v;
#pragma unroll
  for (int o = 1; o < 32; o <<= 1) {
    const long long t = __shfl_up_sync(0xffffffffu, incl, o);
    if (lane >= o) incl += t;
  }
  if (lane == 31) warp_sums[warp] = incl;
  __syncthreads();
  long long pre = 0, all = 0;
#pragma unroll
  for (int w = 0; w < kBlock / 32; ++w) {
    const long long s = warp_sums[w];
    if (w < warp) pre += s;
    all += s;
  }
  *total = all;
  return pre + incl - v;
}

// Waits for the tile in front of this one and hands on its sum.
__device__ long long chain(TilePrefix* tiles, unsigned int tile, long long total) {
  long long before = 0;
  if (tile > 0) {
    TilePrefix* prev = tiles + tile - 1;
    while (prev->ready == 0) {
    }
    __threadfence();
    before = prev->inclusive;
  }
  tiles[tile].inclusive = before + total;
  Flag(tiles[tile].ready).store(1, cuda::memory_order_release);
  return before;
}

template <typename Out>
__global__ void __launch_bounds__(kBlock)
delta_decode(const int32_t* __restrict__ deltas, int64_t n, long long first, long long min_delta,
             Out* __restrict__ values, ChainState* state, TilePrefix* tiles) {
  __shared__ long long warp_sums[kBlock / 32];
  __shared__ unsigned int s_tile;
  __shared__ long long s_before;

  // tiles are handed out in the order in which blocks start, so the predecessor always runs
  if (threadIdx.x == 0) s_tile = atomicAdd(&state->next_tile, 1u);
  __syncthreads();
  const unsigned int tile = s_tile;
  const int64_t base = (int64_t)tile * kTile + threadIdx.x * kItems;

  long long local[kItems];
  long long sum = 0;
#pragma unroll
  for (int i = 0; i < kItems; ++i) {
    if (base + i < n) sum += deltas[base + i] + min_delta;
    local[i] = sum;
  }

  long long total;
  const long long pre = block_exclusive_scan(sum, warp_sums, &total);
  if (threadIdx.x == 0) s_before = chain(tiles, tile, total);
  __syncthreads();

  const long long off = first + s_before + pre;
#pragma unroll
  for (int i = 0; i < kItems; ++i)
    if (base + i < n) values[base + i] = static_cast<Out>(off + local[i]);
}

enum class PhysicalType { INT32, INT64 };

struct DecodeScratch {
  ChainState* state;
  TilePrefix* tiles;
  int64_t capacity;  // in tiles
};

cudaError_t decode_delta_page(PhysicalType type, const int32_t* deltas, int64_t n, int64_t first,
                              int64_t min_delta, void* values, const DecodeScratch& scratch,
                              cudaStream_t stream) {
  if (n <= 0) return cudaSuccess;
  const int64_t tiles = (n + kTile - 1) / kTile;
  if (tiles > scratch.capacity || tiles > 0x7fffffff) return cudaErrorInvalidValue;
  cudaMemsetAsync(scratch.state, 0, sizeof(ChainState), stream);
  cudaMemsetAsync(scratch.tiles, 0, tiles * sizeof(TilePrefix), stream);
  switch (type) {
    case PhysicalType::INT32:
      delta_decode<int32_t><<<(unsigned)tiles, kBlock, 0, stream>>>(
          deltas, n, first, min_delta, static_cast<int32_t*>(values), scratch.state, scratch.tiles);
      break;
    case PhysicalType::INT64:
      delta_decode<int64_t><<<(unsigned)tiles, kBlock, 0, stream>>>(
          deltas, n, first, min_delta, static_cast<int64_t*>(values), scratch.state, scratch.tiles);
      break;
  }
  return cudaGetLastError();
}
