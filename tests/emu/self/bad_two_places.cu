// cuwarp-run: any both block=32
// cuwarp-emu: violation
// Both arms call with the full mask, at two places.
__global__ void both(int *out, const int *in) {
    int t = threadIdx.x;
    if (t < 16)
        out[t] = __shfl_xor_sync(0xffffffff, in[t], 1);
    else
        out[t] = __shfl_xor_sync(0xffffffff, -in[t], 1);
}
