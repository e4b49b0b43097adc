// Everything that leads to the finding comes from the command: two directories, and three macros of options.
#include "width.h"
#include "dep/kernel.cuh"

#if !defined(LANES) || HOST_SAYS != 1 || !defined(__CUDACC_RDC__) || !defined(__CUDACC_EXTENDED_LAMBDA__)
#error "not compiled as the build does"
#endif

__global__ void width(int *out) {
    int v = threadIdx.x + sizeof(NAME);
    v += __shfl_down_sync(0xffffffffu, v, 1, WIDTH);
    out[threadIdx.x] = v + helper(v);
}
