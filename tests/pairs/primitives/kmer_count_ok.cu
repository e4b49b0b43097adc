#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

// K-mer spectrum of a read set. Blocks count into a small shared table and
// spill it into the global table after each batch of positions.

namespace kmer {

using Key = unsigned long long;
constexpr Key kEmpty = ~0ull;

__host__ __device__ inline uint32_t mix(Key k) {
  k ^= k >> 31;
  k *= 0x9e3779b97f4a7c15ull;
  return uint32_t(k >> 32);
}

struct GlobalTable {
  Key* keys;
  unsigned* counts;
  uint32_t mask;

  __device__ void add(Key k, unsigned n) const {
    for (uint32_t h = mix(k) & mask;; h = (h + 1) & mask) {
      const Key old = atomicCAS(keys + h, kEmpty, k);
      if (old == kEmpty || old == k) {
        atomicAdd(counts + h, n);
        return;
      }
    }
  }
};

template <int SLOTS>
struct BlockTable {
  Key keys[SLOTS];
  unsigned counts[SLOTS];

  __device__ void reset() {
    for (int i = threadIdx.x; i < SLOTS; i += blockDim.x) {
      keys[i] = kEmpty;
      counts[i] = 0;
    }
    __syncthreads();
  }

  // False when the neighbourhood of the slot is full.
  __device__ bool insert(Key k) {
    uint32_t h = mix(k) % SLOTS;
    for (int probe = 0; probe < 8; ++probe) {
      const Key old = atomicCAS(keys + h, kEmpty, k);
      if (old == kEmpty || old == k) {
        atomicAdd(counts + h, 1u);
        return true;
      }
      h = h + 1 == SLOTS ? 0 : h + 1;
    }
    return false;
  }

  __device__ void flush(const GlobalTable& g) {
    for (int i = threadIdx.x; i < SLOTS; i += blockDim.x) {
      if (keys[i] == kEmpty) continue;
      g.add(keys[i], counts[i]);
      keys[i] = kEmpty;
      counts[i] = 0;
    }
    __syncthreads();
  }
};

__device__ __forceinline__ int code(char c) {
  switch (c) {
    case 'A': return 0;
    case 'C': return 1;
    case 'G': return 2;
    case 'T': return 3;
    default: return -1;
  }
}

template <int K>
__device__ bool encode(const char* s, Key& out) {
  Key fwd = 0, rev = 0;
#pragma unroll
  for (int i = 0; i < K; ++i) {
    const int c = code(s[i]);
    if (c < 0) return false;
    fwd = (fwd << 2) | Key(c);
    rev |= Key(3 - c) << (2 * i);
  }
  out = fwd < rev ? fwd : rev;
  return true;
}

template <int K, int SLOTS>
__global__ void countKmers(const char* seq, int positions, int perBatch, GlobalTable g) {
  __shared__ BlockTable<SLOTS> table;
  table.reset();
  const int stride = gridDim.x * perBatch;
  for (int begin = blockIdx.x * perBatch; begin < positions; begin += stride) {
    const int end = min(begin + perBatch, positions);
    for (int p = begin + threadIdx.x; p < end; p += blockDim.x) {
      Key k;
      if (encode<K>(seq + p, k) && !table.insert(k)) g.add(k, 1);
    }
    __syncthreads();
    table.flush(g);
  }
}

}  // namespace kmer

int main() {
  using namespace kmer;
  constexpr int K = 21;
  std::string genome(4'000'000, 'A');
  uint32_t r = 1;
  for (auto& c : genome) r = r * 1664525u + 1013904223u, c = "ACGT"[(r >> 24) & 3];
  const int positions = int(genome.size()) - K + 1;

  char* seq;
  cudaMalloc(&seq, genome.size());
  cudaMemcpy(seq, genome.data(), genome.size(), cudaMemcpyHostToDevice);
  GlobalTable g;
  const size_t cap = size_t(1) << 24;
  g.mask = uint32_t(cap - 1);
  cudaMalloc(&g.keys, cap * sizeof(Key));
  cudaMalloc(&g.counts, cap * sizeof(unsigned));
  cudaMemset(g.keys, 0xff, cap * sizeof(Key));
  cudaMemset(g.counts, 0, cap * sizeof(unsigned));

  int dev = 0, sms = 0;
  cudaGetDevice(&dev);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
  countKmers<K, 2048><<<2 * sms, 256>>>(seq, positions, 1024, g);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
