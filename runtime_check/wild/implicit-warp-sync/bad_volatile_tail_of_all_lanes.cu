// The last steps of a sum through volatile shared memory: every lane of the warp adds in every step, with nothing between.
// cuwarp-run: block-reduce total block=256 n=500
__global__ void total(const int *in, int *out, int n) {
    __shared__ volatile double s[256];
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
        s[t] = s[t] + s[t + 32];
        s[t] = s[t] + s[t + 16]; //~ error: implicit-warp-sync
        s[t] = s[t] + s[t + 8];
        s[t] = s[t] + s[t + 4];
        s[t] = s[t] + s[t + 2];
        s[t] = s[t] + s[t + 1];
    }
    __syncthreads();
    if (t == 0)
        out[blockIdx.x] = (int)s[0];
}

void run(const int *in, int *out, int n) {
    total<<<(n + 255) / 256, 256>>>(in, out, n);
}
// cuwarp-gpu: implicit-warp-sync corrected=good_volatile_tail_of_all_lanes grid=1024 n=0
