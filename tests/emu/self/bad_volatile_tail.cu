// cuwarp-run: block-reduce sum block=64
// cuwarp-emu: race
// volatile keeps the compiler from caching, and orders no lanes.
__global__ void sum(const int *in, int *out, int n) {
    __shared__ volatile int s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    if (t < 32) {
        s[t] += s[t + 32];
        if (t < 16)
            s[t] += s[t + 16];
        if (t < 8)
            s[t] += s[t + 8];
        if (t < 4)
            s[t] += s[t + 4];
        if (t < 2)
            s[t] += s[t + 2];
        if (t < 1)
            out[blockIdx.x] = s[0] + s[1];
    }
}
