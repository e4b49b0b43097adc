// Multi-split: keys are placed in buckets of their top bits, warp-aggregated
// atomics reserve the space in each bucket.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kBuckets = 64;
constexpr int kThreads = 256;

__device__ __forceinline__ int bucketOf(uint32_t key) { return key >> 26; }

__device__ __forceinline__ unsigned lanemaskLt() {
  unsigned m;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(m));
  return m;
}

// Returns the position reserved for the calling lane. All lanes of `active` call.
__device__ unsigned reserve(unsigned* cursor, int bucket, unsigned active) {
  const unsigned peers = __match_any_sync(active, bucket);
  const int leader = __ffs(peers) - 1;
  unsigned base = 0;
  if ((threadIdx.x & 31) == leader) base = atomicAdd(&cursor[bucket], __popc(peers));
  base = __shfl_sync(peers, base, leader);
  return base + __popc(peers & lanemaskLt());
}

__global__ void countKeys(const uint32_t* __restrict__ keys, int n, unsigned* counts) {
  __shared__ unsigned local[kBuckets];
  for (int b = threadIdx.x; b < kBuckets; b += kThreads) local[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads)
    atomicAdd(&local[bucketOf(keys[i])], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < kBuckets; b += kThreads)
    if (local[b]) atomicAdd(&counts[b], local[b]);
}

__global__ void scanCounts(const unsigned* counts, unsigned* cursor) {
  const int lane = threadIdx.x;
  unsigned carry = 0;
  for (int b = lane; b < kBuckets; b += 32) {
    const unsigned c = counts[b];
    unsigned v = c;
    for (int o = 1; o < 32; o <<= 1) {
      const unsigned u = __shfl_up_sync(0xffffffffu, v, o);
      if (lane >= o) v += u;
    }
    cursor[b] = carry + v - c;
    carry += __shfl_sync(0xffffffffu, v, 31);
  }
}

__global__ void scatterKeys(const uint32_t* __restrict__ keys, uint32_t* __restrict__ out,
                            int n, unsigned* cursor) {
  const int stride = gridDim.x * kThreads;
  for (int c = blockIdx.x * kThreads; c < n; c += stride) {
    const int i = c + threadIdx.x;
    const unsigned active = __ballot_sync(0xffffffffu, i < n);
    if (i < n) {
      const uint32_t k = keys[i];
      out[reserve(cursor, bucketOf(k), active)] = k;
    }
  }
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 5000011;
  if (n < 1 || n > (1 << 28)) return 1;
  std::vector<uint32_t> h(n);
  for (auto& k : h) k = (uint32_t)rand() << 16 ^ (uint32_t)rand();
  uint32_t *keys, *out;
  unsigned *counts, *cursor;
  if (cudaMalloc(&keys, n * sizeof(uint32_t)) || cudaMalloc(&out, n * sizeof(uint32_t)) ||
      cudaMalloc(&counts, kBuckets * sizeof(unsigned)) ||
      cudaMalloc(&cursor, kBuckets * sizeof(unsigned)))
    return 2;
  cudaMemcpy(keys, h.data(), n * sizeof(uint32_t), cudaMemcpyHostToDevice);
  cudaMemset(counts, 0, kBuckets * sizeof(unsigned));
  countKeys<<<216, kThreads>>>(keys, n, counts);
  scanCounts<<<1, 32>>>(counts, cursor);
  scatterKeys<<<864, kThreads>>>(keys, out, n, cursor);
  cudaMemcpy(h.data(), out, n * sizeof(uint32_t), cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int i = 1; i < n; ++i) bad += (h[i] >> 26) < (h[i - 1] >> 26);
  std::printf("%d out of order\n", bad);
  return bad != 0;
}
