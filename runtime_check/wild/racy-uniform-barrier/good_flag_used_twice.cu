// A flag says whether the block leaves; all have read the first answer when the second one is stored.
// cuwarp-run: two-gates gates block=128
__global__ void gates(const int *in, int *out) {
    __shared__ int is_over;
    int t = threadIdx.x, first = blockIdx.x * 128;
    if (t == 0)
        is_over = in[first] >= 20;
    __syncthreads();
    if (is_over)
        return;
    __syncthreads();
    if (t == 0 && in[first + 1] >= 20)
        is_over = 1;
    __syncthreads();
    if (is_over)
        return;
    out[first + t] = in[first + t];
}

void run(const int *in, int *out) {
    gates<<<4, 128>>>(in, out);
}
