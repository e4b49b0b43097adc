// Each warp scans through shared memory: read, wait, store, wait.
// cuwarp-run: block-scan scan block=32 n=60
__global__ void scan(const int *in, int *out, int n) {
    __shared__ int s[48];
    int lane = threadIdx.x, at = lane + 16, i = blockIdx.x * 32 + lane;
    if (lane < 16)
        s[lane] = 0;
    s[at] = i < n ? in[i] : 0;
    __syncwarp();
    for (int d = 1; d < 32; d *= 2) {
        int sum = s[at] + s[at - d];
        __syncwarp();
        s[at] = sum;
        __syncwarp();
    }
    if (i < n)
        out[i] = s[at];
}

void run(const int *in, int *out, int n) {
    scan<<<(n + 31) / 32, 32>>>(in, out, n);
}
