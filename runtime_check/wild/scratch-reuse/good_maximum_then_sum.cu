// One array passes on first the maximum, then the partial sums; a barrier stands between reading the one and storing the other.
// cuwarp-run: less-most-plus-sum normalise block=256
__device__ int most_of_warp(int v) {
    for (int d = 16; d > 0; d /= 2)
        v = max(v, __shfl_xor_sync(0xffffffff, v, d));
    return v;
}

__device__ int sum_of_warp(int v) {
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffff, v, d);
    return v;
}

__global__ void normalise(const int *in, int *out) {
    __shared__ int store[8];
    int t = threadIdx.x, lane = t % 32, warp = t / 32, v = in[blockIdx.x * 256 + t];
    int most = most_of_warp(v);
    if (lane == 0)
        store[warp] = most;
    __syncthreads();
    if (t == 0) {
        for (int w = 1; w < 8; w++)
            store[0] = max(store[0], store[w]);
    }
    __syncthreads();
    int top = store[0];
    __syncthreads();
    int sum = sum_of_warp(v);
    if (lane == 0)
        store[warp] = sum;
    __syncthreads();
    if (t == 0) {
        for (int w = 1; w < 8; w++)
            store[0] += store[w];
    }
    __syncthreads();
    out[blockIdx.x * 256 + t] = v - top + store[0];
}

void run(const int *in, int *out) {
    normalise<<<16, 256>>>(in, out);
}
