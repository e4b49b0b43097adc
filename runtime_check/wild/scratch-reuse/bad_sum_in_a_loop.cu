// A helper sums up a block; called in a loop, it stores partial sums while slow warps still read those of the last iteration.
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
        partial[warp] = mine; //~ error: scratch-reuse
    __syncthreads();
    mine = lane < 8 ? partial[lane] : 0;
    int all = sum_of_warp(mine);
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
// cuwarp-gpu: scratch-reuse corrected=good_sum_in_a_loop grid=64 n=4096
