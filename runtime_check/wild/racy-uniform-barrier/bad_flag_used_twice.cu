// A flag says whether the block leaves; it may be raised for the second question before a slow thread has read the first answer.
// cuwarp-run: two-gates gates block=128
__global__ void gates(const int *in, int *out) {
    __shared__ int is_over;
    int t = threadIdx.x, first = blockIdx.x * 128;
    if (t == 0)
        is_over = in[first] >= 20;
    __syncthreads();
    if (is_over)
        return;
    if (t == 0 && in[first + 1] >= 20)
        is_over = 1; //~ error: scratch-reuse
    __syncthreads(); //~ warning: racy-uniform-barrier
    if (is_over)
        return;
    out[first + t] = in[first + t];
}

void run(const int *in, int *out) {
    gates<<<4, 128>>>(in, out);
}
// cuwarp-gpu: racy-uniform-barrier corrected=good_flag_used_twice grid=1024
