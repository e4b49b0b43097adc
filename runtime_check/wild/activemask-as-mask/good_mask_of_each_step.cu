// Threads add up in a loop of different lengths, and each step of the sum over the warp names all lanes.
// cuwarp-run: partial-sums total block=256 grid=2 n=1500
__device__ int sum_of_warp(int v) {
    for (int d = 16; d > 0; d /= 2) {
        v += __shfl_down_sync(0xffffffff, v, d);
    }
    return v;
}

__global__ void total(const int *in, int *out, int n) {
    __shared__ int partial[8];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, v = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        v += in[i];
    v = sum_of_warp(v);
    if (lane == 0)
        partial[warp] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++)
            v += partial[w];
        out[blockIdx.x] = v;
    }
}

void run(const int *in, int *out, int n) {
    total<<<64, 256>>>(in, out, n);
}
