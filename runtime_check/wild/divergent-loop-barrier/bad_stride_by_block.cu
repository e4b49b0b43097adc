// A loop with barriers strides by a block that does not divide the count: threads leave it in different iterations.
// cuwarp-run: grid-reduce gradients block=192 grid=1 n=1000
__global__ void gradients(const int *in, int *out, int n) {
    __shared__ int cache[192];
    int t = threadIdx.x;
    for (int i = t; i < n; i += 192) {
        cache[t] = in[i];
        __syncthreads(); //~ error: divergent-loop-barrier
        for (int s = 96; s >= 3; s /= 2) {
            if (t < s)
                cache[t] += cache[t + s];
            __syncthreads();
        }
        if (t == 0)
            atomicAdd(out, cache[0] + cache[1] + cache[2]);
        __syncthreads();
    }
}

void run(const int *in, int *out) {
    gradients<<<1, 192>>>(in, out, 1000);
}
// cuwarp-gpu: divergent-loop-barrier corrected=good_stride_by_block
