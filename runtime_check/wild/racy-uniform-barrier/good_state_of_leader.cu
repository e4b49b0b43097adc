// Each iteration another thread says what all shall do; the block waits until all have read it.
// cuwarp-run: positive-before-zero select block=128
__global__ void select(const int *in, int *out) {
    __shared__ int state;
    int t = threadIdx.x, v = in[blockIdx.x * 128 + t], total = 0;
    for (int i = 0; i < 128; i++) {
        if (t == i)
            state = v < 0 ? -1 : v == 0 ? -2 : v;
        __syncthreads();
        int now = state;
        __syncthreads();
        if (now == -2)
            break;
        if (now == -1)
            continue;
        total += now;
    }
    out[blockIdx.x * 128 + t] = total;
}

void run(const int *in, int *out) {
    select<<<4, 128>>>(in, out);
}
