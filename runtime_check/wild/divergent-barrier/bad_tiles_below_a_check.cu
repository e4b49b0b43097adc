// The barriers of a tiled loop stand below a check of the index: the last block's other threads load nothing.
// cuwarp-run: all-pairs forces block=256 grid=2 n=500
__global__ void forces(const int *in, int *out, int n) {
    __shared__ int tile[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    if (i < n) {
        int sum = 0;
        for (int k = 0; k < gridDim.x; k++) {
            tile[t] = in[k * 256 + t];
            __syncthreads(); //~ error: divergent-barrier
            for (int j = 0; j < 256; j++)
                sum += tile[j] * in[i];
            __syncthreads();
        }
        out[i] = sum;
    }
}

void run(const int *in, int *out) {
    forces<<<8, 256>>>(in, out, 2000);
}
// cuwarp-gpu: divergent-barrier corrected=good_tiles_below_a_check grid=8 n=2000
