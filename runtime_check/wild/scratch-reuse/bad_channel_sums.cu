// Warps leave their sums of a channel for thread 0, and those of the next one while it still adds up the last.
// cuwarp-run: row-sums channels block=256 grid=2 n=9
__device__ int sum_of_warp(int v) {
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffff, v, d);
    return v;
}

__global__ void channels(const int *in, int *out, int n) {
    __shared__ int sums[8];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int row = blockIdx.x; row < n; row += gridDim.x) {
        int mine = sum_of_warp(in[row * 256 + threadIdx.x]);
        if (lane == 0)
            sums[warp] = mine; //~ error: scratch-reuse
        __syncthreads();
        if (threadIdx.x == 0) {
            int all = 0;
            for (int w = 0; w < 8; w++)
                all += sums[w];
            out[row] = all;
        }
    }
}

void run(const int *in, int *out) {
    channels<<<64, 256>>>(in, out, 2048);
}
// cuwarp-gpu: scratch-reuse corrected=good_channel_sums grid=64 n=2048
