#ifndef WP_SORT_CUH
#define WP_SORT_CUH
#include "wp/config.h"

namespace wp {

template <typename K>
__device__ __forceinline__ void comparator(volatile K& a, volatile K& b, bool up) {
  const K x = a, y = b;
  if ((x > y) == up) {
    a = y;
    b = x;
  }
}

// Bitonic sort of tiles of 2 * BLOCK keys. Exchanges with a stride of up to
// a warp stay inside the 64 keys of one warp.
template <typename K, int BLOCK>
__global__ void sort_tiles_kernel(K* __restrict__ keys, int n, K pad) {
  __shared__ K s[2 * BLOCK];
  const int t = threadIdx.x;
  const int base = blockIdx.x * 2 * BLOCK;
  s[t] = base + t < n ? keys[base + t] : pad;
  s[t + BLOCK] = base + t + BLOCK < n ? keys[base + t + BLOCK] : pad;
  __syncthreads();
  for (int size = 2; size <= 2 * BLOCK; size <<= 1) {
    const bool up = (t & (size / 2)) == 0 || size == 2 * BLOCK;
    for (int stride = size / 2; stride > 0; stride >>= 1) {
      if (stride >= WP_WARP_SIZE)
        __syncthreads();
      else
        WP_WARP_SYNC();
      const int pos = 2 * t - (t & (stride - 1));
      comparator(s[pos], s[pos + stride], up);
    }
  }
  __syncthreads();
  if (base + t < n) keys[base + t] = s[t];
  if (base + t + BLOCK < n) keys[base + t + BLOCK] = s[t + BLOCK];
}

}  // namespace wp
#endif
