// cuwarp-run: any low block=32
// cuwarp-run: any low block=20
// Lanes that have ended, or that the block never had, are not waited for.
__global__ void low(int *out, const int *in) {
    if (threadIdx.x >= 16)
        return;
    out[threadIdx.x] = __any_sync(0xffffffff, in[threadIdx.x] > 0);
}
