// Digit histogram pass of an LSD radix sort; lanes with equal digits elect a leader.
#include <cuda_runtime.h>
#include <cstdint>

constexpr int kRadixBits = 4;
constexpr int kRadix = 1 << kRadixBits;
constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kItemsPerThread = 16;

__device__ __forceinline__ unsigned lane_id() { return threadIdx.x & 31; }

__device__ __forceinline__ unsigned digit_of(uint32_t key, int shift) { return (key >> shift) & (kRadix - 1); }

__global__ void __launch_bounds__(kThreads)
upsweep(const uint32_t* __restrict__ keys, int n, int shift, uint32_t* __restrict__ block_counts) {
  __shared__ uint32_t counters[kWarps][kRadix];
  uint32_t* mine = counters[threadIdx.x / 32];
  if (threadIdx.x < kRadix)
    for (int w = 0; w < kWarps; ++w) counters[w][threadIdx.x] = 0;
  __syncthreads();

  const int tile = blockIdx.x * kThreads * kItemsPerThread;
  for (int it = 0; it < kItemsPerThread; ++it) {
    const int i = tile + it * kThreads + threadIdx.x;
    const bool valid = i < n;
    const unsigned d = valid ? digit_of(keys[i], shift) : kRadix;
    const unsigned peers = __match_any_sync(0xffffffffu, d);
    if (valid && lane_id() == __ffs(peers) - 1)
      mine[d] += __popc(peers);
    __syncwarp();
  }
  __syncthreads();

  if (threadIdx.x < kRadix) {
    uint32_t total = 0;
    for (int w = 0; w < kWarps; ++w) total += counters[w][threadIdx.x];
    block_counts[threadIdx.x * gridDim.x + blockIdx.x] = total;   // digit major
  }
}

__global__ void exclusive_scan_single(uint32_t* data, int n) {
  if (threadIdx.x != 0 || blockIdx.x != 0) return;
  uint32_t run = 0;
  for (int i = 0; i < n; ++i) {
    uint32_t v = data[i];
    data[i] = run;
    run += v;
  }
}

// Number of tiles (= blocks) a sequence of n keys is cut into.
static int tiles_for(int n) {
  const int per_block = kThreads * kItemsPerThread;
  return (n + per_block - 1) / per_block;
}

int radix_upsweep(const uint32_t* d_keys, int n, int shift, uint32_t* d_counts, cudaStream_t s) {
  const int grid = tiles_for(n);
  if (grid == 0) return 0;
  upsweep<<<grid, kThreads, 0, s>>>(d_keys, n, shift, d_counts);
  exclusive_scan_single<<<1, 32, 0, s>>>(d_counts, grid * kRadix);
  return grid;
}
