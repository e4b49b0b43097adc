// A warp scans the partial sums in place: read, wait, add, wait.
// cuwarp-run: block-scan scan block=1024 n=2000
__device__ int scan_of_warp(int v) {
    int lane = threadIdx.x % 32;
    for (int d = 1; d < 32; d *= 2) {
        int below = __shfl_up_sync(0xffffffff, v, d);
        if (lane >= d)
            v += below;
    }
    return v;
}

__global__ void scan(const int *in, int *out, int n) {
    __shared__ volatile int s[64];
    int t = threadIdx.x, lane = t % 32, warp = t / 32, i = blockIdx.x * 1024 + t;
    int v = scan_of_warp(i < n ? in[i] : 0);
    if (lane == 31)
        s[warp] = v;
    __syncthreads();
    if (warp == 0) {
        for (int d = 1; d < 32; d *= 2) {
            int mine = s[lane];
            __syncwarp();
            s[lane + d] += mine;
            __syncwarp();
        }
    }
    __syncthreads();
    if (i < n)
        out[i] = v + (warp > 0 ? s[warp - 1] : 0);
}

void run(const int *in, int *out, int n) {
    scan<<<(n + 1023) / 1024, 1024>>>(in, out, n);
}
