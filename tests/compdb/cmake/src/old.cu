// Every target of the build is newer: the first branch is never compiled.
__global__ void old(int *out) {
    int v = threadIdx.x;
#if __CUDA_ARCH__ < 750
    v += __shfl_down_sync(0xffffffffu, v, 1, 20);
#elif __CUDA_ARCH__ >= 900
    v += __shfl_down_sync(0xffffffffu, v, 1, 12);
#endif
    out[threadIdx.x] = v;
}
