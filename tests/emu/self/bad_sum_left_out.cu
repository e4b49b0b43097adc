// cuwarp-run: block-reduce sum block=64
// cuwarp-emu: wrong
// No race, and one element short.
__global__ void sum(const int *in, int *out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    if (t == 0) {
        int all = 0;
        for (int k = 0; k < 63; k++)
            all += s[k];
        out[blockIdx.x] = all;
    }
}
