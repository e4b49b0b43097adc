#pragma once
__device__ inline int combine(int v) {
#ifdef LANES
    return __shfl_xor_sync(0xffffffffu, v, 1, LANES);
#else
    return v;
#endif
}
