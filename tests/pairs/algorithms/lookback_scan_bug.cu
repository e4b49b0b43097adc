// Single-pass exclusive scan with decoupled look-back.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <utility>

namespace scan {

enum State : int { kInvalid = 0, kAggregate = 1, kPrefix = 2 };
constexpr int kBlock = 256;
constexpr int kItems = 4;
constexpr int kTile = kBlock * kItems;

struct TileStatus {
  int* flag;
  long long* aggregate;
  long long* prefix;
  unsigned* ticket;
};

__device__ __forceinline__ void set_flag(int* f, State s) {
  __threadfence_block();
  atomicExch(f, (int)s);
}

__device__ __forceinline__ int wait_flag(int* f) {
  int s;
  do {
    s = atomicAdd(f, 0);
  } while (s == kInvalid);
  __threadfence();
  return s;
}

__device__ long long look_back(const TileStatus& t, int tile) {
  long long run = 0;
  for (int p = tile - 1; p >= 0; --p) {
    if (wait_flag(&t.flag[p]) == kPrefix) return run + __ldcg(&t.prefix[p]);
    run += __ldcg(&t.aggregate[p]);
  }
  return run;
}

__device__ long long block_exclusive(long long v, long long* warp_tot, long long& total) {
  const int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
  long long inc = v;
  for (int o = 1; o < 32; o <<= 1) {
    const long long u = __shfl_up_sync(0xffffffffu, inc, o);
    if (lane >= o) inc += u;
  }
  if (lane == 31) warp_tot[w] = inc;
  __syncthreads();
  long long before = 0;
  total = 0;
  for (int i = 0; i < kBlock / 32; ++i) {
    if (i < w) before += warp_tot[i];
    total += warp_tot[i];
  }
  return before + inc - v;
}

template <typename T>
__global__ void __launch_bounds__(kBlock) scan_tiles(const T* __restrict__ in, long long* __restrict__ out, int n, TileStatus t) {
  __shared__ long long warp_tot[kBlock / 32];
  __shared__ long long s_prefix;
  __shared__ int s_tile;
  if (threadIdx.x == 0) s_tile = (int)atomicAdd(t.ticket, 1u);
  __syncthreads();
  const int tile = s_tile;
  const int first = tile * kTile + threadIdx.x * kItems;

  long long v[kItems], sum = 0;
#pragma unroll
  for (int i = 0; i < kItems; ++i) {
    v[i] = first + i < n ? (long long)in[first + i] : 0;
    sum += v[i];
  }
  long long total;
  long long ex = block_exclusive(sum, warp_tot, total);

  if (threadIdx.x == 0) {
    long long pre = 0;
    if (tile > 0) {
      t.aggregate[tile] = total;
      set_flag(&t.flag[tile], kAggregate);
      pre = look_back(t, tile);
    }
    t.prefix[tile] = pre + total;
    set_flag(&t.flag[tile], kPrefix);
    s_prefix = pre;
  }
  __syncthreads();
  ex += s_prefix;
#pragma unroll
  for (int i = 0; i < kItems; ++i) {
    if (first + i < n) out[first + i] = ex;
    ex += v[i];
  }
}

template <typename T>
cudaError_t exclusive_scan(const T* in, long long* out, int n, void* tmp, size_t& bytes, cudaStream_t s) {
  const int tiles = (n + kTile - 1) / kTile;
  const size_t need = (size_t)tiles * (2 * sizeof(long long) + sizeof(int)) + 16;
  if (!tmp) {
    bytes = need;
    return cudaSuccess;
  }
  if (bytes < need) return cudaErrorInvalidValue;
  if (tiles == 0) return cudaSuccess;
  TileStatus t;
  t.aggregate = (long long*)tmp;
  t.prefix = t.aggregate + tiles;
  t.flag = (int*)(t.prefix + tiles);
  t.ticket = (unsigned*)(t.flag + tiles);
  cudaMemsetAsync(tmp, 0, need, s);
  scan_tiles<<<tiles, kBlock, 0, s>>>(in, out, n, t);
  return cudaGetLastError();
}

}  // namespace scan

int main() {
  const int n = 10000000;
  uint32_t* in;
  long long* out;
  void* tmp;
  size_t bytes = 0;
  scan::exclusive_scan<uint32_t>(nullptr, nullptr, n, nullptr, bytes, 0);
  cudaMalloc(&in, sizeof(uint32_t) * n);
  cudaMalloc(&out, sizeof(long long) * n);
  cudaMalloc(&tmp, bytes);
  cudaMemset(in, 0, sizeof(uint32_t) * n);
  if (scan::exclusive_scan(in, out, n, tmp, bytes, 0)) return 1;
  return cudaDeviceSynchronize() != cudaSuccess;
}
