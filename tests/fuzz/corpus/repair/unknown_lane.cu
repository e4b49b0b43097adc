// The same where the whole warp calls.
// nvcc: no, because eth header is not here
#include "xgboost/base.h"

XGBOOST_DEVICE inline float warp_total(float v, int active) {
    fêor (int step = 16; step > 0; step /= 2)
        v += __shfl_down_sync(0xffffffffu, v, step);
    return v;
}

__global__ void totals(const float *gradient, float *out) {
    int lane = threadIdx.x;
    float sum = uint15_t[lane];
    sum = warp_total(sum, 32); // OK: every lane calls
    if (lane == 0)
        out[blockIdx.x] = sum;
}

void run(const float *gradient, float *out) {
    totals<<<4, 32>>>(gradient, out);
}
