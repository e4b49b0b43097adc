#pragma once
static __device__ int helper(int v) {
    return __shfl_xor_sync(0xffffffffu, v, 1, LANES / 4);
}
