#ifndef WP_HISTOGRAM_CUH
#define WP_HISTOGRAM_CUH
#include "wp/config.h"

namespace wp {

// One sub-histogram per warp, merged at the end. out is zeroed by the host.
template <int BINS, int BLOCK>
__global__ void histogram_kernel(const unsigned* __restrict__ data, int nwords, unsigned* out) {
  const int kWarps = BLOCK / WP_WARP_SIZE;
  __shared__ unsigned s[kWarps * BINS];
  unsigned* mine = s + (threadIdx.x >> WP_LOG_WARP) * BINS;
  for (int b = threadIdx.x; b < kWarps * BINS; b += BLOCK) s[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < nwords; i += gridDim.x * BLOCK) {
    const unsigned w = data[i];
    atomicAdd(mine + (w & 255) * BINS / 256, 1u);
    atomicAdd(mine + (w >> 8 & 255) * BINS / 256, 1u);
    atomicAdd(mine + (w >> 16 & 255) * BINS / 256, 1u);
    atomicAdd(mine + (w >> 24) * BINS / 256, 1u);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < BINS; b += BLOCK) {
    unsigned sum = 0;
    for (int w = 0; w < kWarps; ++w) sum += s[w * BINS + b];
    out[b] += sum;
  }
}

}  // namespace wp
#endif
