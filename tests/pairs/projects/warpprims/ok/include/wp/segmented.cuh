#ifndef WP_SEGMENTED_CUH
#define WP_SEGMENTED_CUH
#include "wp/config.h"

namespace wp {

// Inclusive segmented sum inside a warp. heads: bit per lane that starts a segment.
template <typename T>
__device__ __forceinline__ T segscan_warp(T v, unsigned heads, int lane) {
  const unsigned below = heads & (0xffffffffu >> (31 - lane));
  const int first = below ? 31 - __clz(below) : 0;
#pragma unroll
  for (int d = 1; d < WP_WARP_SIZE; d <<= 1) {
    const T u = WP_SHFL_UP(v, d);
    if (lane - d >= first) v += u;
  }
  return v;
}

// One block per row chunk, tiles in order with a carry from tile to tile.
template <typename T, int BLOCK>
__global__ void segmented_sum_kernel(const T* __restrict__ in, const unsigned char* __restrict__ head,
                                     T* __restrict__ out, int n, int chunk) {
  const int kWarps = BLOCK / WP_WARP_SIZE;
  __shared__ T s_tail[kWarps];
  __shared__ unsigned s_heads[kWarps];
  __shared__ T s_carry;
  const int t = threadIdx.x, lane = t & 31, warp = t >> WP_LOG_WARP;
  const int begin = blockIdx.x * chunk, end = min(n, begin + chunk);
  if (t == 0) s_carry = T(0);
  for (int base = begin; base < end; base += BLOCK) {
    const int i = base + t;
    const bool h = i < end && (head[i] || i == begin);
    const unsigned heads = WP_BALLOT(h);
    T v = segscan_warp(i < end ? in[i] : T(0), heads, lane);
    if (lane == 31) {
      s_tail[warp] = v;
      s_heads[warp] = heads;
    }
    __syncthreads();
    if ((heads & (0xffffffffu >> (31 - lane))) == 0) {
      int w = warp - 1;
      for (; w >= 0; --w) {
        v += s_tail[w];
        if (s_heads[w]) break;
      }
      if (w < 0) v += s_carry;
    }
    __syncthreads();
    if (t == BLOCK - 1) s_carry = v;
    if (i < end) out[i] = v;
  }
}

}  // namespace wp
#endif
