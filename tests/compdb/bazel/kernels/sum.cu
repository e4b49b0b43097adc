#include "kernels/shared.h"
#include <lib/lanes.h>

__global__ void sum(int *out) {
    int v = threadIdx.x;
    v += __shfl_down_sync(0xffffffffu, v, 1, lib_lanes());
    out[threadIdx.x] = combine(v);
}
