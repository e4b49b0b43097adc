// Reduce-by-key over keys sorted ascending; each thread takes a fixed chunk.
#include <cuda_runtime.h>

namespace seg {

template <int ITEMS>
struct Chunk {
  int begin, end;
  __device__ Chunk(int n) {
    begin = (blockIdx.x * blockDim.x + threadIdx.x) * ITEMS;
    end = min(begin + ITEMS, n);
  }
  __device__ bool empty() const { return begin >= end; }
};

__device__ inline void flush(float* out, int key, float sum, bool shared_run) {
  out[key] += sum;
}

// out is cleared by the caller
template <int ITEMS>
__global__ void reduce_sorted(const int* __restrict__ keys, const float* __restrict__ vals, int n, float* out) {
  Chunk<ITEMS> c(n);
  if (c.empty()) return;
  int key = keys[c.begin];
  float sum = vals[c.begin];
  bool from_left = c.begin > 0 && keys[c.begin - 1] == key;
  for (int i = c.begin + 1; i < c.end; ++i) {
    const int k = keys[i];
    if (k != key) {
      flush(out, key, sum, from_left);
      key = k;
      sum = 0.f;
      from_left = false;
    }
    sum += vals[i];
  }
  const bool to_right = c.end < n && keys[c.end] == key;
  flush(out, key, sum, from_left || to_right);
}

template <int ITEMS>
__global__ void check_sorted(const int* __restrict__ keys, int n, int* bad) {
  Chunk<ITEMS> c(n);
  for (int i = c.begin; i < c.end; ++i)
    if (i > 0 && keys[i - 1] > keys[i]) atomicAdd(bad, 1);
}

int reduce_by_sorted_key(const int* keys, const float* vals, int n, float* out, int num_keys, int* d_bad,
                         cudaStream_t s) {
  constexpr int kItems = 8;
  constexpr int kBlock = 128;
  cudaMemsetAsync(out, 0, num_keys * sizeof(float), s);
  cudaMemsetAsync(d_bad, 0, sizeof(int), s);
  const int tile = kItems * kBlock;
  const int grid = (n + tile - 1) / tile;
  if (grid == 0) return 0;
  check_sorted<kItems><<<grid, kBlock, 0, s>>>(keys, n, d_bad);
  int bad = 0;
  cudaMemcpyAsync(&bad, d_bad, sizeof(int), cudaMemcpyDeviceToHost, s);
  cudaStreamSynchronize(s);
  if (bad) return -1;
  reduce_sorted<kItems><<<grid, kBlock, 0, s>>>(keys, vals, n, out);
  return cudaGetLastError() == cudaSuccess ? 0 : -2;
}

}  // namespace seg
