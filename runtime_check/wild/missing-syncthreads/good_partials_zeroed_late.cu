// The first warp zeroes the partial sums, and the block waits before anybody stores one.
// cuwarp-run: block-reduce total block=256 n=500
__device__ int add_up(int v) {
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffff, v, d);
    return v;
}

__global__ void total(const int *in, int *out, int n) {
    __shared__ int partial[32];
    int i = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (warp == 0)
        partial[lane] = 0;
    __syncthreads();
    int mine = add_up(i < n ? in[i] : 0);
    if (lane == 0)
        partial[warp] = mine;
    __syncthreads();
    int all = add_up(partial[lane]);
    if (threadIdx.x == 0)
        out[blockIdx.x] = all;
}

void run(const int *in, int *out, int n) {
    total<<<(n + 255) / 256, 256>>>(in, out, n);
}
