// cuwarp-run: any swap block=32
// cuwarp-emu: race
// All lanes meet in a shuffle, and its meeting is no order of memory.
__global__ void swap(int *out, const int *in) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = in[t];
    int other = __shfl_xor_sync(0xffffffff, t, 1);
    out[t] = s[other];
}
