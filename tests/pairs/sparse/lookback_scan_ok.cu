// Single pass exclusive scan with chained look-back.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace scan {

constexpr int kThreads = 256;
constexpr int kItems = 8;
constexpr int kTile = kThreads * kItems;

enum Status : int { kInvalid = 0, kAggregate = 1, kPrefix = 2 };

struct TileState {
  volatile int* status;
  volatile unsigned* aggregate;
  volatile unsigned* prefix;
  unsigned* counter;
};

__device__ void publish(const TileState& st, int tile, unsigned v, int status) {
  (status == kPrefix ? st.prefix : st.aggregate)[tile] = v;
  __threadfence();
  st.status[tile] = status;
}

__device__ unsigned lookBack(const TileState& st, int tile) {
  unsigned sum = 0;
  for (int t = tile - 1; t >= 0;) {
    const int s = st.status[t];
    if (s == kInvalid) continue;
    __threadfence(); // order the flag before the value
    if (s == kPrefix) return sum + st.prefix[t];
    sum += st.aggregate[t];
    --t;
  }
  return sum;
}

__device__ unsigned blockExclusive(unsigned v, unsigned* warpSums, unsigned* total) {
  const int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
  unsigned x = v;
  for (int o = 1; o < 32; o <<= 1) {
    const unsigned u = __shfl_up_sync(0xffffffffu, x, o);
    if (lane >= o) x += u;
  }
  if (lane == 31) warpSums[w] = x;
  __syncthreads();
  unsigned off = 0, all = 0;
  for (int k = 0; k < kThreads / 32; ++k) {
    if (k < w) off += warpSums[k];
    all += warpSums[k];
  }
  *total = all;
  return off + x - v;
}

__global__ void exclusiveScan(const unsigned* __restrict__ in, unsigned* __restrict__ out, int n,
                              TileState st) {
  __shared__ unsigned warpSums[kThreads / 32];
  __shared__ unsigned tilePrefix;
  __shared__ int tileId;
  if (threadIdx.x == 0) tileId = (int)atomicAdd(st.counter, 1u);
  __syncthreads();
  const int tile = tileId;
  const int base = tile * kTile + threadIdx.x * kItems;

  unsigned item[kItems], sum = 0;
  for (int k = 0; k < kItems; ++k) {
    item[k] = base + k < n ? in[base + k] : 0u;
    sum += item[k];
  }
  unsigned total;
  unsigned run = blockExclusive(sum, warpSums, &total);
  if (threadIdx.x == 0) {
    unsigned before = 0;
    if (tile > 0) {
      publish(st, tile, total, kAggregate);
      before = lookBack(st, tile);
    }
    publish(st, tile, before + total, kPrefix);
    tilePrefix = before;
  }
  __syncthreads();
  run += tilePrefix;
  for (int k = 0; k < kItems; ++k) {
    if (base + k < n) out[base + k] = run;
    run += item[k];
  }
}

}  // namespace scan

int main() {
  const int n = 10000019;
  const int tiles = (n + scan::kTile - 1) / scan::kTile;
  std::vector<unsigned> h(n);
  for (int i = 0; i < n; ++i) h[i] = i % 5;
  unsigned *in, *out, *agg, *pre, *ctr;
  int* status;
  if (cudaMalloc(&in, n * sizeof(unsigned)) || cudaMalloc(&out, n * sizeof(unsigned)) ||
      cudaMalloc(&agg, tiles * sizeof(unsigned)) || cudaMalloc(&pre, tiles * sizeof(unsigned)) ||
      cudaMalloc(&ctr, sizeof(unsigned)) || cudaMalloc(&status, tiles * sizeof(int)))
    return 1;
  cudaMemcpy(in, h.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
  cudaMemset(ctr, 0, sizeof(unsigned));
  cudaMemset(status, 0, tiles * sizeof(int));
  scan::exclusiveScan<<<tiles, scan::kThreads>>>(in, out, n, scan::TileState{status, agg, pre, ctr});
  cudaMemcpy(h.data(), out, n * sizeof(unsigned), cudaMemcpyDeviceToHost);
  std::printf("last %u\n", h[n - 1]);
  return 0;
}
