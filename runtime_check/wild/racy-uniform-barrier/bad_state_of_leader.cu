// Each iteration another thread says what all shall do; it may say so for the next iteration before a slow thread has read this one's.
// cuwarp-run: positive-before-zero select block=128
__global__ void select(const int *in, int *out) {
    __shared__ int state;
    int t = threadIdx.x, v = in[blockIdx.x * 128 + t], total = 0;
    for (int i = 0; i < 128; i++) {
        if (t == i)
            state = v < 0 ? -1 : v == 0 ? -2 : v; //~ error: scratch-reuse
        __syncthreads(); //~ warning: racy-uniform-barrier
        if (state == -2)
            break;
        if (state == -1)
            continue;
        total += state;
    }
    out[blockIdx.x * 128 + t] = total;
}

void run(const int *in, int *out) {
    select<<<4, 128>>>(in, out);
}
// cuwarp-gpu: racy-uniform-barrier corrected=good_state_of_leader grid=256
