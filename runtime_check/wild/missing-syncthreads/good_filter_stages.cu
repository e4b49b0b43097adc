// Each thread is a stage: it reads its neighbour's output, waits, stores its own, and waits.
// cuwarp-run: rotate stages block=128
__global__ void stages(const int *in, int *out, int n) {
    __shared__ int s[128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t, v = 0;
    s[t] = in[i];
    __syncthreads();
    for (int k = 0; k < 1; k++) {
        v = s[(t + 1) % 128];
        __syncthreads();
        s[t] = v;
        __syncthreads();
    }
    out[i] = s[t];
}

void run(const int *in, int *out, int n) {
    stages<<<2, 128>>>(in, out, n);
}
