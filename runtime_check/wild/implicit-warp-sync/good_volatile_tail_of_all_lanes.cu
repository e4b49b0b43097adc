// The last steps of a sum through shared memory: read, wait, store, wait.
// cuwarp-run: block-reduce total block=256 n=500
__global__ void total(const int *in, int *out, int n) {
    __shared__ double s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    if (t < 128)
        s[t] = s[t] + s[t + 128];
    __syncthreads();
    if (t < 64)
        s[t] = s[t] + s[t + 64];
    __syncthreads();
    if (t < 32) {
        for (int d = 32; d > 0; d /= 2) {
            double sum = s[t] + s[t + d];
            __syncwarp();
            s[t] = sum;
            __syncwarp();
        }
    }
    __syncthreads();
    if (t == 0)
        out[blockIdx.x] = (int)s[0];
}

void run(const int *in, int *out, int n) {
    total<<<(n + 255) / 256, 256>>>(in, out, n);
}
