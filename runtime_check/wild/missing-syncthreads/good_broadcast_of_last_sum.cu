// One thread stores what all of the block read behind a barrier.
// cuwarp-run: broadcast offsets block=128 n=250
__global__ void offsets(const int *in, int *out, int n) {
    __shared__ int sums[32];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    if (t < 31)
        sums[t] = i < n ? in[i] : 0;
    __syncthreads();
    int first = sums[0];
    if (t == 0)
        sums[31] = first;
    __syncthreads();
    int base = sums[31];
    if (i < n)
        out[i] = in[i] + base;
}

void run(const int *in, int *out, int n) {
    offsets<<<(n + 127) / 128, 128>>>(in, out, n);
}
