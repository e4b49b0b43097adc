// Counts byte-pair occurrences for BPE training in a device hash table.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <vector>

static const uint32_t kNoPair = 0xffffffffu;

struct PairTable {
  uint32_t* pair;     // (left << 16) | right
  uint32_t* count;
  uint32_t capacity;  // power of two
};

__device__ __forceinline__ uint32_t fmix32(uint32_t h) {
  h ^= h >> 16; h *= 0x85ebca6bu;
  h ^= h >> 13; h *= 0xc2b2ae35u;
  return h ^ (h >> 16);
}

__device__ int find_or_claim(const PairTable& t, uint32_t pair) {
  uint32_t h = fmix32(pair) & (t.capacity - 1);
  for (uint32_t i = 0; i < t.capacity; ++i) {
    uint32_t prev = atomicCAS(&t.pair[h], kNoPair, pair);
    if (prev == kNoPair || prev == pair) return (int)h;
    h = (h + 1) & (t.capacity - 1);
  }
  return -1;
}

__global__ void count_pairs(const uint16_t* __restrict__ tokens, const uint32_t* __restrict__ word_end, uint32_t n,
                            PairTable t, int* overflow) {
  for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i + 1 < n; i += gridDim.x * blockDim.x) {
    if (word_end[i]) continue;   // no merges across words
    const uint32_t pair = (uint32_t)tokens[i] << 16 | tokens[i + 1];
    const int slot = find_or_claim(t, pair);
    if (slot < 0) {
      atomicExch(overflow, 1);
      continue;
    }
    atomicAdd(&t.count[slot], 1u);
  }
}

__global__ void argmax_pair(PairTable t, unsigned long long* best) {
  unsigned long long mine = 0;
  for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < t.capacity; i += gridDim.x * blockDim.x) {
    if (t.pair[i] == kNoPair) continue;
    unsigned long long v = (unsigned long long)t.count[i] << 32 | t.pair[i];
    mine = v > mine ? v : mine;
  }
  if (mine) atomicMax(best, mine);
}

struct Merge { uint16_t left, right; uint32_t freq; };

Merge most_frequent(const uint16_t* d_tokens, const uint32_t* d_word_end, uint32_t n, PairTable t) {
  unsigned long long* d_best;
  int* d_overflow;
  cudaMalloc(&d_best, sizeof(*d_best));
  cudaMalloc(&d_overflow, sizeof(int));
  cudaMemset(d_best, 0, sizeof(*d_best));
  cudaMemset(d_overflow, 0, sizeof(int));
  cudaMemset(t.pair, 0xff, t.capacity * sizeof(uint32_t));
  cudaMemset(t.count, 0, t.capacity * sizeof(uint32_t));
  count_pairs<<<432, 256>>>(d_tokens, d_word_end, n, t, d_overflow);
  argmax_pair<<<108, 256>>>(t, d_best);
  unsigned long long best = 0;
  int overflow = 0;
  cudaMemcpy(&best, d_best, sizeof(best), cudaMemcpyDeviceToHost);
  cudaMemcpy(&overflow, d_overflow, sizeof(int), cudaMemcpyDeviceToHost);
  if (overflow) std::fprintf(stderr, "pair table too small\n");
  cudaFree(d_best);
  cudaFree(d_overflow);
  return Merge{(uint16_t)(best >> 16), (uint16_t)best, (uint32_t)(best >> 32)};
}
