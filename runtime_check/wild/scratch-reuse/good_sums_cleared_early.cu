// The first warp clears the sums for the next row when all have used those of this one.
// cuwarp-run: row-less-column-sum rows block=256 grid=2 n=9
__global__ void rows(const int *in, int *out, int n) {
    for (int row = blockIdx.x; row < n; row += gridDim.x) {
        __shared__ int sum[32];
        int t = threadIdx.x;
        for (int k = t; k < 32; k += 256)
            sum[k] = 0;
        __syncthreads();
        int v = in[row * 256 + t];
        atomicAdd(&sum[t & 31], v);
        __syncthreads();
        out[row * 256 + t] = v - sum[t & 31];
        __syncthreads();
    }
}

void run(const int *in, int *out) {
    rows<<<64, 256>>>(in, out, 4096);
}
