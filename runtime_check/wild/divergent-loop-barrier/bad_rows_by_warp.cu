// Warps take rows in turn in a loop that holds barriers; in its last iteration some warps have no row and have left.
// cuwarp-run: column-sums columns block=512 grid=1 n=200
__global__ void columns(const int *in, int *out, int n) {
    __shared__ int part[16][32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, total = 0;
    for (int row = warp; row < n; row += 16) {
        part[warp][lane] = in[row * 32 + lane];
        __syncthreads(); //~ error: divergent-loop-barrier
        if (warp == 0) {
            for (int w = 0; w < 16; w++)
                total += part[w][lane];
        }
        __syncthreads();
    }
    __syncthreads();
    if (warp == 0)
        out[lane] = total;
}

void run(const int *in, int *out) {
    columns<<<1, 512>>>(in, out, 200);
}
// cuwarp-gpu: divergent-loop-barrier corrected=good_rows_by_warp
