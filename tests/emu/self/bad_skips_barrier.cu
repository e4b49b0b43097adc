// cuwarp-run: any half block=64
// cuwarp-emu: hang
// No barrier follows that would miss them, but the upper threads were to come to this one.
__global__ void half(int *out, const int *in) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    if (t < 32) {
        __syncthreads();
        out[t] = s[t];
    }
}
