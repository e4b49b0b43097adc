// cuwarp-run: any stage block=64
// cuwarp-emu: wrong
// The thread's own element, before the copy has been waited for.
#include <cuda_pipeline.h>

__global__ void stage(int *out, const int *in) {
    __shared__ int s[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[t], 4);
    __pipeline_commit();
    out[t] = s[t];
    __pipeline_wait_prior(0);
}
