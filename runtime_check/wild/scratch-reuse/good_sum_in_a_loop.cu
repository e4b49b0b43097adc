// A helper sums up a block; called in a loop, it ends with a barrier.
// cuwarp-run: row-sums rows block=256 grid=2 n=9
__device__ int sum_of_warp(int v) {
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffff, v, d);
    return v;
}

__device__ int sum_of_block(int v) {
    __shared__ int partial[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int mine = sum_of_warp(v);
    if (lane == 0)
        partial[warp] = mine;
    __syncthreads();
    mine = lane < 8 ? partial[lane] : 0;
    int all = sum_of_warp(mine);
    __syncthreads();
    return all;
}

__global__ void rows(const int *in, int *out, int n) {
    for (int row = blockIdx.x; row < n; row += gridDim.x) {
        int all = sum_of_block(in[row * 256 + threadIdx.x]);
        if (threadIdx.x == 0)
            out[row] = all;
    }
}

void run(const int *in, int *out) {
    rows<<<64, 256>>>(in, out, 4096);
}
