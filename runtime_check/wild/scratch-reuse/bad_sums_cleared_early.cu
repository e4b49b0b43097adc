// The first warp clears the sums for the next row while slow warps still take away those of this one.
// cuwarp-run: row-less-column-sum rows block=256 grid=2 n=9
__global__ void rows(const int *in, int *out, int n) {
    for (int row = blockIdx.x; row < n; row += gridDim.x) {
        __shared__ int sum[32];
        int t = threadIdx.x;
        for (int k = t; k < 32; k += 256)
            sum[k] = 0; //~ error: scratch-reuse
        __syncthreads();
        int v = in[row * 256 + t];
        atomicAdd(&sum[t & 31], v);
        __syncthreads();
        out[row * 256 + t] = v - sum[t & 31];
    }
}

void run(const int *in, int *out) {
    rows<<<64, 256>>>(in, out, 4096);
}
// cuwarp-gpu: scratch-reuse corrected=good_sums_cleared_early grid=64 n=2048
