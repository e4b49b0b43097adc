// Warps take rows in turn; all of them make each iteration, and those without a row bring zeros.
// cuwarp-run: column-sums columns block=512 grid=1 n=200
__global__ void columns(const int *in, int *out, int n) {
    __shared__ int part[16][32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, total = 0;
    for (int first = 0; first < n; first += 16) {
        int row = first + warp;
        part[warp][lane] = row < n ? in[row * 32 + lane] : 0;
        __syncthreads();
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
