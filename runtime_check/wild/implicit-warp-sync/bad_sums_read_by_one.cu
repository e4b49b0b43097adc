// Sixteen lanes store their sums, and thread 0, one of them, adds these up at once.
// cuwarp-run: block-reduce total block=64 n=120
__global__ void total(const int *in, int *out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    if (t < 16) {
        int sum = 0;
        for (int k = t; k < 64; k += 16)
            sum += s[k];
        s[t] = sum;
    }
    if (t == 0) {
        int sum = 0;
        for (int k = 0; k < 16; k++)
            sum += s[k]; //~ error: implicit-warp-sync
        out[blockIdx.x] = sum;
    }
}

void run(const int *in, int *out, int n) {
    total<<<(n + 63) / 64, 64>>>(in, out, n);
}
// cuwarp-gpu: implicit-warp-sync corrected=good_sums_read_by_one grid=1024 n=0
