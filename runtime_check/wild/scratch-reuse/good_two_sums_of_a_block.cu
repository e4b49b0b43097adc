// Two sums of a block by one helper, which lets all threads wait for the first warp.
// cuwarp-run: moments moments block=256 n=500
__device__ int sum_of_warp(int v) {
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffff, v, d);
    return v;
}

__device__ int sum_of_block(int v) {
    __shared__ int partial[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    v = sum_of_warp(v);
    if (lane == 0)
        partial[warp] = v;
    __syncthreads();
    int all = threadIdx.x < 8 ? partial[lane] : 0;
    if (warp == 0)
        all = sum_of_warp(all);
    __syncthreads();
    return all;
}

__global__ void moments(const int *in, int *out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x, v = i < n ? in[i] : 0;
    int sum = sum_of_block(v);
    int square = sum_of_block(v * v);
    if (threadIdx.x == 0) {
        out[2 * blockIdx.x] = sum;
        out[2 * blockIdx.x + 1] = square;
    }
}

void run(const int *in, int *out, int n) {
    moments<<<(n + 255) / 256, 256>>>(in, out, n);
}
