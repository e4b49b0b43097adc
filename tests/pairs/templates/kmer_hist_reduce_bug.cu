#include <cuda_runtime.h>
#include <algorithm>
#include <cstdint>

namespace kmer {

template <int BLOCK>
struct TreeStorage {
  unsigned int v[BLOCK];
};

template <int BLOCK>
__device__ __forceinline__ unsigned int tree_reduce(TreeStorage<BLOCK>& s, unsigned int x) {
  const int t = threadIdx.x;
  s.v[t] = x;
  __syncthreads();
#pragma unroll
  for (int step = BLOCK / 2; step >= 32; step >>= 1) {
    if (t < step) s.v[t] += s.v[t + step];
    __syncthreads();
  }
  if (t < 32) {
#pragma unroll
    for (int step = 16; step > 0; step >>= 1) {
      unsigned int other = 0;
      if (t < step) other = s.v[t + step];
      if (t < step) s.v[t] += other;
    }
  }
  __syncthreads();
  return s.v[0];
}

struct KmerArgs {
  const uint8_t* bases;      // 2-bit codes, one per byte
  const int* read_begin;
  unsigned int* gc_per_read;
  unsigned int* low_complexity;
  int reads;
  int k;
};

struct GcCounter {
  __device__ unsigned int operator()(const uint8_t* b, int i, int) const {
    return (b[i] == 1 || b[i] == 2) ? 1u : 0u;
  }
};

struct RepeatCounter {
  int k;
  __device__ unsigned int operator()(const uint8_t* b, int i, int len) const {
    if (i + k >= len) return 0u;
    for (int d = 0; d < k; ++d)
      if (b[i + d] != b[i]) return 0u;
    return 1u;
  }
};

template <int BLOCK, class F>
__device__ __forceinline__ unsigned int count_in_read(const uint8_t* b, int len, F f) {
  unsigned int c = 0;
  for (int i = threadIdx.x; i < len; i += BLOCK) c += f(b, i, len);
  return c;
}

template <int BLOCK>
__global__ void __launch_bounds__(BLOCK) read_stats(KmerArgs a) {
  __shared__ TreeStorage<BLOCK> tree[2];
  for (int r = blockIdx.x; r < a.reads; r += gridDim.x) {
    const int begin = a.read_begin[r];
    const int len = a.read_begin[r + 1] - begin;
    const uint8_t* b = a.bases + begin;

    const unsigned int gc = tree_reduce<BLOCK>(tree[0], count_in_read<BLOCK>(b, len, GcCounter{}));
    const unsigned int rep = tree_reduce<BLOCK>(tree[1], count_in_read<BLOCK>(b, len, RepeatCounter{a.k}));
    if (threadIdx.x == 0) {
      a.gc_per_read[r] = gc;
      if (rep * 4u > unsigned(len)) a.low_complexity[r] = 1u;
    }
    __syncthreads();
  }
}

cudaError_t run(const KmerArgs& a, int mean_len, int sms, cudaStream_t s) {
  if (a.reads <= 0) return cudaSuccess;
  const int grid = std::min(a.reads, sms * 8);
  if (mean_len < 256)
    read_stats<64><<<grid, 64, 0, s>>>(a);
  else
    read_stats<256><<<grid, 256, 0, s>>>(a);
  return cudaGetLastError();
}

}  // namespace kmer
