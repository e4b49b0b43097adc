#ifndef WP_REDUCE_CUH
#define WP_REDUCE_CUH
#include "wp/config.h"

namespace wp {

// Result in thread 0.
template <class Op, typename T, int BLOCK>
__device__ T reduce_block(volatile T* s, T v) {
  const Op op = Op();
  const int t = threadIdx.x;
  s[t] = v;
  __syncthreads();
#pragma unroll
  for (int k = BLOCK / 2; k > 0; k >>= 1) {
    if (t < k) s[t] = v = op(v, s[t + k]);
    if (k > WP_WARP_SIZE)
      __syncthreads();
    else
      WP_WARP_SYNC();
  }
  return v;
}

template <class Op, typename T, int BLOCK>
__global__ void reduce_kernel(const T* __restrict__ in, T* __restrict__ partial, int n) {
  __shared__ T s[BLOCK];
  T v = Op::identity();
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) v = Op()(v, in[i]);
  v = reduce_block<Op, T, BLOCK>(s, v);
  if (threadIdx.x == 0) partial[blockIdx.x] = v;
}

}  // namespace wp
#endif
