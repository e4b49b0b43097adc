#include <cuda_runtime.h>
#include <cstdint>

namespace topk {

constexpr int kBits = 8;
constexpr int kBins = 1 << kBits;
constexpr int kThreads = 256;
constexpr int kItems = 8;

struct Counter {
  uint32_t k;
  uint32_t prefix;
  uint32_t finished;
};

struct PassArgs {
  const uint32_t* keys;
  uint32_t n;
  int start_bit;
  uint32_t prefix_mask;
  uint32_t* histogram;  // [kBins], zero on entry
  Counter* counter;
};

__device__ __forceinline__ uint32_t bin_of(uint32_t key, int start_bit) {
  return (key >> start_bit) & (kBins - 1);
}

__device__ void merge_histograms(const uint32_t* local, uint32_t* global) {
  for (int b = threadIdx.x; b < kBins; b += kThreads) {
    if (local[b] != 0) atomicAdd(&global[b], local[b]);
  }
}

__device__ void choose_bucket(const PassArgs& a) {
  uint32_t left = a.counter->k;
  for (int b = 0; b < kBins; ++b) {
    const uint32_t c = a.histogram[b];
    if (left <= c) {
      a.counter->k = left;
      a.counter->prefix |= (uint32_t)b << a.start_bit;
      return;
    }
    left -= c;
  }
}

__global__ void __launch_bounds__(kThreads) radix_pass_kernel(PassArgs a) {
  __shared__ uint32_t local[kBins];
  __shared__ bool is_last;

  for (int b = threadIdx.x; b < kBins; b += kThreads) local[b] = 0;
  const uint32_t prefix = a.counter->prefix;
  __syncthreads();

  const uint32_t first = blockIdx.x * (kThreads * kItems) + threadIdx.x;
#pragma unroll
  for (int j = 0; j < kItems; ++j) {
    const uint32_t i = first + j * kThreads;
    if (i < a.n) {
      const uint32_t key = a.keys[i];
      if ((key & a.prefix_mask) == prefix) atomicAdd(&local[bin_of(key, a.start_bit)], 1u);
    }
  }
  __syncthreads();

  merge_histograms(local, a.histogram);
  __threadfence();
  if (threadIdx.x == 0) {
    is_last = atomicAdd(&a.counter->finished, 1u) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();

  if (is_last && threadIdx.x == 0) choose_bucket(a);
}

void select_kth(const uint32_t* keys, uint32_t n, uint32_t k, uint32_t* histograms,
                Counter* counter, cudaStream_t s) {
  if (n == 0 || k == 0 || k > n) return;
  const uint32_t grid = (n + kThreads * kItems - 1) / (kThreads * kItems);
  cudaMemsetAsync(counter, 0, sizeof(Counter), s);
  cudaMemcpyAsync(&counter->k, &k, sizeof(k), cudaMemcpyHostToDevice, s);
  cudaMemsetAsync(histograms, 0, sizeof(uint32_t) * kBins * (32 / kBits), s);
  uint32_t mask = 0;
  int pass = 0;
  for (int bit = 32 - kBits; bit >= 0; bit -= kBits, ++pass) {
    PassArgs a{keys, n, bit, mask, histograms + pass * kBins, counter};
    cudaMemsetAsync(&counter->finished, 0, sizeof(uint32_t), s);
    radix_pass_kernel<<<grid, kThreads, 0, s>>>(a);
    mask |= (uint32_t)(kBins - 1) << bit;
  }
}

}  // namespace topk
