// Merge sort of 64-bit keys: bitonic sort of tiles in shared memory followed by
// merge passes in global memory (one thread finds its place by rank).
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <algorithm>
#include <vector>

using Key = unsigned long long;
constexpr int TILE = 512;
#define INF_KEY 0xffffffffffffffffULL

template <typename K>
__device__ __forceinline__ void order(K& a, K& b, bool up) {
  if ((a > b) == up) { K t = a; a = b; b = t; }
}

// Sorts TILE keys with TILE / 2 threads
template <typename K>
__device__ void sortTile(K* s) {
  const int t = threadIdx.x;
  for (int size = 2; size <= TILE; size <<= 1) {
    const bool up = size == TILE || (t & (size >> 1)) == 0;
    for (int stride = size >> 1; stride > 0; stride >>= 1) {
      const int p = 2 * t - (t & (stride - 1));
      order(s[p], s[p + stride], up);
      __syncthreads();
    }
  }
}

__global__ void tileKernel(Key* keys, int n) {
  __shared__ Key s[TILE];
  const int base = blockIdx.x * TILE;
  for (int i = threadIdx.x; i < TILE; i += TILE / 2)
    s[i] = base + i < n ? keys[base + i] : INF_KEY;
  __syncthreads();

  if (base + 2 * (int)threadIdx.x < n) sortTile(s);

  for (int i = threadIdx.x; i < TILE; i += TILE / 2)
    if (base + i < n) keys[base + i] = s[i];
}

__device__ int countBelow(const Key* a, int len, Key k, bool inclusive) {
  int lo = 0, hi = len;
  while (lo < hi) {
    const int mid = (lo + hi) >> 1;
    if (a[mid] < k || (inclusive && a[mid] == k)) lo = mid + 1;
    else hi = mid;
  }
  return lo;
}

__global__ void mergePass(const Key* __restrict__ in, Key* __restrict__ out, int n, int run) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int pair = i / (2 * run) * (2 * run);
  const int mid = min(pair + run, n), end = min(pair + 2 * run, n);
  const Key k = in[i];
  const int pos = i < mid ? i + countBelow(in + mid, end - mid, k, false)
                          : pair + (i - mid) + countBelow(in + pair, mid - pair, k, true);
  out[pos] = k;
}

int main() {
  const int n = 1000003;
  std::vector<Key> h(n);
  Key s = 88172645463325252ULL;
  for (auto& k : h) { s ^= s << 13; s ^= s >> 7; s ^= s << 17; k = s; }
  Key *a, *b;
  if (cudaMalloc(&a, n * sizeof(Key)) || cudaMalloc(&b, n * sizeof(Key))) return 1;
  cudaMemcpy(a, h.data(), n * sizeof(Key), cudaMemcpyHostToDevice);
  tileKernel<<<(n + TILE - 1) / TILE, TILE / 2>>>(a, n);
  for (int run = TILE; run < n; run *= 2) {
    mergePass<<<(n + 255) / 256, 256>>>(a, b, n, run);
    std::swap(a, b);
  }
  cudaMemcpy(h.data(), a, n * sizeof(Key), cudaMemcpyDeviceToHost);
  std::printf("%s\n", std::is_sorted(h.begin(), h.end()) ? "sorted" : "NOT sorted");
  cudaFree(a);
  cudaFree(b);
  return 0;
}
