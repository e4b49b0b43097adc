#include "sum.cuh"
__global__ void total(float *out) {
    __shared__ float part[32];
    if (threadIdx.x < LIMIT) {
        part[threadIdx.x] = 1;
        __syncthreads();
    }
    out[threadIdx.x] = twice(part[threadIdx.x % 32]);
}
void run(float *out) { total<<<1, 128>>>(out); }
