// Segmented sieve of Eratosthenes with bits packed in shared words.
#include <cuda_runtime.h>
#include <cstdint>
#include <vector>
#include <numeric>

namespace sieve {

constexpr int kWords = 1024;
constexpr uint64_t kSpan = uint64_t(kWords) * 32;   // odd numbers per block

struct BitSet {
  uint32_t w[kWords];
  __device__ void clear() {
    for (int i = threadIdx.x; i < kWords; i += blockDim.x) w[i] = 0;
  }
  __device__ void set(uint32_t b) {
    const uint32_t bit = 1u << (b & 31);
    if (!(atomicOr(&w[b >> 5], 0u) & bit)) atomicOr(&w[b >> 5], bit);
  }
  __device__ bool test(uint32_t b) const { return w[b >> 5] >> (b & 31) & 1; }
};

// bit k of segment b stands for the number 2*(b*kSpan+k)+1
__global__ void sieve_segments(const uint32_t* __restrict__ primes, int np, uint32_t* __restrict__ composite, unsigned* __restrict__ counts, unsigned segments) {
  __shared__ BitSet bits;
  __shared__ unsigned total;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
  for (unsigned seg = blockIdx.x; seg < segments; seg += gridDim.x) {
    const uint64_t first = seg * kSpan;
    bits.clear();
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    if (seg == 0 && threadIdx.x == 0) bits.set(0);
    for (int pi = warp; pi < np; pi += warps) {
      const uint64_t p = primes[pi];
      uint64_t k = (p * p - 1) / 2;
      if (k < first) k += (first - k + p - 1) / p * p;
      for (uint64_t j = k + lane * p; j < first + kSpan; j += 32 * p) bits.set(uint32_t(j - first));
    }
    __syncthreads();
    unsigned mine = 0;
    for (int i = threadIdx.x; i < kWords; i += blockDim.x) {
      const uint32_t w = bits.w[i];
      composite[size_t(seg) * kWords + i] = w;
      mine += __popc(~w);
    }
    mine = __reduce_add_sync(0xffffffffu, mine);
    if (lane == 0) atomicAdd(&total, mine);
    __syncthreads();
    if (threadIdx.x == 0) counts[seg] = total;
  }
}

std::vector<uint32_t> small_primes(uint32_t limit) {
  std::vector<uint32_t> p;
  std::vector<char> c(limit + 1, 0);
  for (uint32_t i = 3; i <= limit; i += 2) {
    if (c[i]) continue;
    p.push_back(i);
    for (uint64_t j = uint64_t(i) * i; j <= limit; j += 2 * i) c[j] = 1;
  }
  return p;
}

uint64_t count_primes(unsigned segments, int warps) {
  if (segments == 0 || segments > 1u << 15) return 0;
  warps = warps < 1 ? 1 : warps > 16 ? 16 : warps;
  const uint64_t top = 2 * kSpan * segments;
  uint32_t root = 3;
  while (uint64_t(root) * root < top) ++root;
  const auto primes = small_primes(root);
  uint32_t *dp, *words;
  unsigned* counts;
  cudaMalloc(&dp, primes.size() * 4);
  cudaMalloc(&words, size_t(segments) * kWords * 4);
  cudaMalloc(&counts, segments * sizeof(unsigned));
  cudaMemcpy(dp, primes.data(), primes.size() * 4, cudaMemcpyHostToDevice);
  sieve_segments<<<segments < 1000 ? segments : 1000, warps * 32>>>(dp, int(primes.size()), words, counts, segments);
  std::vector<unsigned> h(segments);
  cudaMemcpy(h.data(), counts, segments * sizeof(unsigned), cudaMemcpyDeviceToHost);
  cudaFree(dp); cudaFree(words); cudaFree(counts);
  return 1 + std::accumulate(h.begin(), h.end(), uint64_t(0));
}

}  // namespace sieve

int main() { return sieve::count_primes(40, 7) > 0 ? 0 : 1; }
