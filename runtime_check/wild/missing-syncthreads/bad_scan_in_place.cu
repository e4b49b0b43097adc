// Each step of a scan reads a neighbour and stores in place.
// cuwarp-run: block-scan scan block=256 n=500
__global__ void scan(const int *in, int *out, int n) {
    __shared__ int s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        if (t >= d)
            s[t] = s[t] + s[t - d]; //~ error: missing-syncthreads
        __syncthreads();
    }
    if (i < n)
        out[i] = s[t];
}

void run(const int *in, int *out, int n) {
    scan<<<(n + 255) / 256, 256>>>(in, out, n);
}
// cuwarp-gpu: missing-syncthreads corrected=good_scan_in_place grid=1024 n=0
