// cuwarp-run: any low block=32
// cuwarp-emu: hang
// Sixteen lanes call, the others wait for them at the end of the kernel.
__global__ void low(int *out, const int *in) {
    if (threadIdx.x < 16)
        out[threadIdx.x] = __reduce_add_sync(0xffffffff, in[threadIdx.x]);
    __syncthreads();
}
