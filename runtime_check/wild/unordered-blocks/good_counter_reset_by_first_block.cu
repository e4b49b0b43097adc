// The host resets the counter that all blocks add to.
// cuwarp-run: grid-reduce total block=64 grid=3 n=180
__global__ void total(const int *in, int *out, int n) {
    __shared__ int found[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    found[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int step = 32; step > 0; step /= 2) {
        if (t < step)
            found[t] += found[t + step];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(out, found[0]);
}

void run(const int *in, int *out, int n) {
    cudaMemset(out, 0, sizeof(int));
    total<<<1024, 64>>>(in, out, n);
}
