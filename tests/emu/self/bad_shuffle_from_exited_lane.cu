// cuwarp-run: any low block=32
// cuwarp-emu: wrong
// Nobody hangs, but what lane 20 would have said is undefined.
__global__ void low(int *out, const int *in) {
    if (threadIdx.x >= 16)
        return;
    out[threadIdx.x] = __shfl_sync(0xffffffff, in[threadIdx.x], 20);
}
