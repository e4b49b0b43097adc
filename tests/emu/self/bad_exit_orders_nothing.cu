// cuwarp-run: any share block=64
// cuwarp-emu: race
// The upper threads write and end; the barrier of the others says nothing about them.
__global__ void share(int *out, const int *in) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    if (t >= 32)
        return;
    __syncthreads();
    out[t] = s[t + 32];
}
