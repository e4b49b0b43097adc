// A loop with barriers makes the same number of iterations for the whole block.
// cuwarp-run: grid-reduce gradients block=192 grid=1 n=1000
__global__ void gradients(const int *in, int *out, int n) {
    __shared__ int cache[192];
    int t = threadIdx.x;
    for (int first = 0; first < n; first += 192) {
        cache[t] = first + t < n ? in[first + t] : 0;
        __syncthreads();
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
