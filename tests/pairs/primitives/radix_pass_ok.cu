#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

// Stable radix sort of 32 bit keys: per pass an upsweep, a scan of the digit
// counts and a downsweep that ranks keys with warp level matching.

namespace radix {

constexpr int kBits = 6;
constexpr int kDigits = 1 << kBits;
constexpr int kWarps = 8;
constexpr int kThreads = kWarps * 32;
constexpr unsigned kAll = 0xffffffffu;

__device__ __forceinline__ int digitOf(uint32_t key, int shift) { return (key >> shift) & (kDigits - 1); }
__device__ __forceinline__ unsigned lanesBelow() { return (1u << (threadIdx.x & 31)) - 1u; }

template <int ITEMS>
__global__ void __launch_bounds__(kThreads) upsweep(const uint32_t* keys, int n, int shift, int* counts) {
  __shared__ int hist[kDigits];
  for (int d = threadIdx.x; d < kDigits; d += kThreads) hist[d] = 0;
  __syncthreads();
  const int base = blockIdx.x * kThreads * ITEMS;
  for (int i = threadIdx.x; i < kThreads * ITEMS; i += kThreads)
    if (base + i < n) atomicAdd(&hist[digitOf(keys[base + i], shift)], 1);
  __syncthreads();
  for (int d = threadIdx.x; d < kDigits; d += kThreads) counts[d * gridDim.x + blockIdx.x] = hist[d];
}

__global__ void __launch_bounds__(1024) scanCounts(int* counts, int n) {
  __shared__ int part[32];
  __shared__ int carry;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  if (threadIdx.x == 0) carry = 0;
  __syncthreads();
  for (int base = 0; base < n; base += 1024) {
    const int i = base + threadIdx.x;
    const int v = i < n ? counts[i] : 0;
    int inc = v;
    for (int d = 1; d < 32; d <<= 1) {
      const int o = __shfl_up_sync(kAll, inc, d);
      if (lane >= d) inc += o;
    }
    if (lane == 31) part[warp] = inc;
    __syncthreads();
    int before = carry;
    for (int w = 0; w < warp; ++w) before += part[w];
    __syncthreads();
    if (i < n) counts[i] = before + inc - v;
    if (threadIdx.x == 1023) carry = before + inc;
    __syncthreads();
  }
}

// Rank of the key among the equal digits that the warp has seen so far.
__device__ __forceinline__ int rankInWarp(int* counter, int digit, unsigned peers) {
  const int seen = counter[digit];
  __syncwarp();
  if ((peers & lanesBelow()) == 0) counter[digit] = seen + __popc(peers);
  __syncwarp();
  return seen + __popc(peers & lanesBelow());
}

template <int ITEMS>
__global__ void __launch_bounds__(kThreads)
    downsweep(const uint32_t* in, uint32_t* out, int n, int shift, const int* offsets) {
  __shared__ int counter[kWarps][kDigits + 1];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  for (int i = threadIdx.x; i < kWarps * (kDigits + 1); i += kThreads) (&counter[0][0])[i] = 0;
  __syncthreads();

  const int base = (blockIdx.x * kWarps + warp) * 32 * ITEMS + lane;
  uint32_t key[ITEMS];
  unsigned peers[ITEMS];
  int digit[ITEMS], rank[ITEMS];
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const int i = base + k * 32;
    key[k] = i < n ? in[i] : 0u;
    digit[k] = i < n ? digitOf(key[k], shift) : kDigits;
    peers[k] = __match_any_sync(kAll, digit[k]);
  }
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) rank[k] = rankInWarp(counter[warp], digit[k], peers[k]);
  __syncthreads();

  if (threadIdx.x < kDigits) {
    int at = offsets[threadIdx.x * gridDim.x + blockIdx.x];
#pragma unroll
    for (int w = 0; w < kWarps; ++w) {
      const int c = counter[w][threadIdx.x];
      counter[w][threadIdx.x] = at;
      at += c;
    }
  }
  __syncthreads();

#pragma unroll
  for (int k = 0; k < ITEMS; ++k)
    if (base + k * 32 < n) out[counter[warp][digit[k]] + rank[k]] = key[k];
}

template <int ITEMS>
void sortKeys(uint32_t*& keys, uint32_t*& tmp, int n, int* counts, cudaStream_t s) {
  const int blocks = (n + kThreads * ITEMS - 1) / (kThreads * ITEMS);
  for (int shift = 0; shift < 32; shift += kBits) {
    upsweep<ITEMS><<<blocks, kThreads, 0, s>>>(keys, n, shift, counts);
    scanCounts<<<1, 1024, 0, s>>>(counts, kDigits * blocks);
    downsweep<ITEMS><<<blocks, kThreads, 0, s>>>(keys, tmp, n, shift, counts);
    std::swap(keys, tmp);
  }
}

}  // namespace radix

int main() {
  for (int n : {50000, 5000000}) {
    std::vector<uint32_t> h(n);
    for (auto& k : h) k = uint32_t(rand()) * 2654435761u;
    uint32_t *a, *b;
    int* counts;
    cudaMalloc(&a, n * sizeof(uint32_t));
    cudaMalloc(&b, n * sizeof(uint32_t));
    cudaMalloc(&counts, sizeof(int) * radix::kDigits * (n / radix::kThreads + 1));
    cudaMemcpy(a, h.data(), n * sizeof(uint32_t), cudaMemcpyHostToDevice);
    if (n < 100000)
      radix::sortKeys<1>(a, b, n, counts, 0);
    else
      radix::sortKeys<9>(a, b, n, counts, 0);
    cudaMemcpy(h.data(), a, n * sizeof(uint32_t), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 1; i < n; ++i) bad += h[i] < h[i - 1];
    printf("%d keys, %d out of order\n", n, bad);
    cudaFree(a), cudaFree(b), cudaFree(counts);
  }
  return 0;
}
