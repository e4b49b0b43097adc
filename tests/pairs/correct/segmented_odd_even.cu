// Sort short segments of a CSR array with odd-even transposition, one block per segment.
#include <cuda_runtime.h>
#include <vector>
#include <algorithm>

namespace seg {

template <typename K, typename V>
struct Arrays {
  K* keys;
  V* vals;
};

template <typename K, typename V>
__device__ void swap_if(K* k, V* v, int i, int j) {
  if (k[j] < k[i]) {
    const K tk = k[i];
    k[i] = k[j];
    k[j] = tk;
    const V tv = v[i];
    v[i] = v[j];
    v[j] = tv;
  }
}

template <typename K, typename V>
__device__ void odd_even(K* k, V* v, int len) {
  for (int phase = 0; phase < len; ++phase) {
    for (int i = 2 * threadIdx.x + (phase & 1); i + 1 < len; i += 2 * blockDim.x) swap_if(k, v, i, i + 1);
    __syncthreads();
  }
}

template <typename K, typename V>
__global__ void sort_segments(Arrays<K, V> g, const int* __restrict__ offsets, int capacity) {
  extern __shared__ __align__(16) char raw[];
  const int b = offsets[blockIdx.x], len = offsets[blockIdx.x + 1] - b;
  if (len < 2) return;
  if (len > capacity) {
    odd_even(g.keys + b, g.vals + b, len);
    return;
  }
  K* k = reinterpret_cast<K*>(raw);
  V* v = reinterpret_cast<V*>(raw + (capacity * sizeof(K) + 15) / 16 * 16);
  for (int i = threadIdx.x; i < len; i += blockDim.x) {
    k[i] = g.keys[b + i];
    v[i] = g.vals[b + i];
  }
  __syncthreads();
  odd_even(k, v, len);
  for (int i = threadIdx.x; i < len; i += blockDim.x) {
    g.keys[b + i] = k[i];
    g.vals[b + i] = v[i];
  }
}

template <typename K, typename V>
cudaError_t sort(K* keys, V* vals, const std::vector<unsigned short>& lengths) {
  if (lengths.empty() || lengths.size() > 30000) return cudaErrorInvalidValue;
  std::vector<int> off(lengths.size() + 1, 0);
  for (size_t i = 0; i < lengths.size(); ++i) off[i + 1] = off[i] + lengths[i];
  const int longest = *std::max_element(lengths.begin(), lengths.end());
  const int capacity = std::clamp(longest, 1, 2048);
  const int threads = capacity <= 64 ? 32 : capacity <= 512 ? 128 : 256;
  const size_t smem = (capacity * sizeof(K) + 15) / 16 * 16 + capacity * sizeof(V);
  int* d = nullptr;
  cudaError_t e = cudaMalloc(&d, off.size() * sizeof(int));
  if (e != cudaSuccess) return e;
  cudaMemcpy(d, off.data(), off.size() * sizeof(int), cudaMemcpyHostToDevice);
  sort_segments<<<unsigned(lengths.size()), threads, smem>>>(Arrays<K, V>{keys, vals}, d, capacity);
  e = cudaDeviceSynchronize();
  cudaFree(d);
  return e;
}

template cudaError_t sort<float, int>(float*, int*, const std::vector<unsigned short>&);
template cudaError_t sort<long long, double>(long long*, double*, const std::vector<unsigned short>&);

}  // namespace seg
