// A block of one warp: each lane clears its partial sum for the next row while lane 0 may still add up those of this one.
// cuwarp-run: row-sums correlate block=32 grid=2 n=9
__global__ void correlate(const int *in, int *out, int n) {
    __shared__ int sum[32];
    int lane = threadIdx.x;
    for (int row = blockIdx.x; row < n; row += gridDim.x) {
        sum[lane] = 0; //~ error: implicit-warp-sync
        for (int k = 0; k < 1; k++)
            sum[lane] += in[row * 32 + lane];
        __syncthreads();
        if (lane == 0) {
            int total = 0;
            for (int k = 0; k < 32; k++)
                total += sum[k];
            out[row] = total;
        }
    }
}

void run(const int *in, int *out) {
    correlate<<<256, 32>>>(in, out, 4096);
}
// cuwarp-gpu: implicit-warp-sync corrected=good_cleared_for_next_row grid=256 n=4096
