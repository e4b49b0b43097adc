// Lanes beyond the row stay in the loop and bring zeros.
// cuwarp-run: block-reduce total block=256 grid=2 n=500
__global__ void total(const int *in, int *out, int n) {
    __shared__ int part[256];
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < 4; k++) {
        int place = t % 32 * 2 + k * 64;
        int at = blockIdx.x * 256 + t / 32 * 32 + t % 32;
        part[t] = place < 200 && k == 0 && at < n ? in[at] : 0;
        __syncthreads();
        if (t / 32 == 0) {
            for (int w = 0; w < 8; w++)
                sum += part[w * 32 + t];
        }
        __syncthreads();
    }
    part[t] = sum;
    __syncthreads();
    if (t == 0) {
        int all = 0;
        for (int lane = 0; lane < 32; lane++)
            all += part[lane];
        out[blockIdx.x] = all;
    }
}

void run(const int *in, int *out, int n) {
    total<<<(n + 255) / 256, 256>>>(in, out, n);
}
