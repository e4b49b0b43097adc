// The first thread of the grid resets the counter that all blocks add to, after others may have added.
// cuwarp-run: grid-reduce total block=64 grid=3 n=180
// cuwarp-emu: clean (blocks run one after the other)
__global__ void total(const int *in, int *out, int n) {
    __shared__ int found[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    if (t == 0 && blockIdx.x == 0)
        *out = 0;
    found[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int step = 32; step > 0; step /= 2) {
        if (t < step)
            found[t] += found[t + step];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(out, found[0]); //~ error: unordered-blocks
}

void run(const int *in, int *out, int n) {
    total<<<1024, 64>>>(in, out, n);
}
// cuwarp-gpu: unordered-blocks corrected=good_counter_reset_by_first_block grid=1024 n=65500
