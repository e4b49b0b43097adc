#pragma once
#include "graphx/csr.h"

namespace graphx {

// Block-local output queue in shared memory in front of a global one.
template <int CAP>
struct BlockQueue {
  vid_t items[CAP];
  int count;
  int base;

  __device__ void init() {
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
  }

  __device__ void push(vid_t v, vid_t* out, int* out_count) {
    const int s = atomicAdd(&count, 1);
    if (s < CAP)
      items[s] = v;
    else
      out[atomicAdd(out_count, 1)] = v;
  }

  __device__ void flush(vid_t* out, int* out_count) {
    __syncthreads();
    const int n = min(count, CAP);
    if (threadIdx.x == 0) base = atomicAdd(out_count, n);
    __syncthreads();
    for (int t = threadIdx.x; t < n; t += blockDim.x) out[base + t] = items[t];
    if (threadIdx.x == 0) count = 0;
  }
};

}  // namespace graphx
