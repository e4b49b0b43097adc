// A block of one warp: nobody clears its partial sum before lane 0 has added them up.
// cuwarp-run: row-sums correlate block=32 grid=2 n=9
__global__ void correlate(const int *in, int *out, int n) {
    __shared__ int sum[32];
    int lane = threadIdx.x;
    for (int row = blockIdx.x; row < n; row += gridDim.x) {
        sum[lane] = 0;
        for (int k = 0; k < 1; k++)
            sum[lane] += in[row * 32 + lane];
        __syncthreads();
        if (lane == 0) {
            int total = 0;
            for (int k = 0; k < 32; k++)
                total += sum[k];
            out[row] = total;
        }
        __syncthreads();
    }
}

void run(const int *in, int *out) {
    correlate<<<256, 32>>>(in, out, 4096);
}
