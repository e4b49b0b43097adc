// cuwarp-run: any stage block=64
// cuwarp-emu: race
// Waiting is a matter of the thread that copies: the others need a barrier.
#include <cuda_pipeline.h>

__global__ void stage(int *out, const int *in) {
    __shared__ int s[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[t] = s[63 - t];
}
