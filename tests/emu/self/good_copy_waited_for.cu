// cuwarp-run: reverse stage block=64
#include <cuda_pipeline.h>

__global__ void stage(const int *in, int *out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x, first = blockIdx.x * 64;
    __pipeline_memcpy_async(&s[t], &in[first + t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[first + t] = s[63 - t];
}
