// The best of a round is read by all, who wait before they store their candidates of the next round.
// cuwarp-run: running-most rounds block=128 grid=1 n=9
__global__ void rounds(const int *in, int *out, int n) {
    __shared__ int best[128];
    int t = threadIdx.x, last = 0;
    for (int row = 0; row < n; row++) {
        best[t] = in[row * 128 + t] + last;
        __syncthreads();
        for (int d = 64; d > 0; d /= 2) {
            if (t < d)
                best[t] = max(best[t], best[t + d]);
            __syncthreads();
        }
        last = best[0];
        __syncthreads();
        if (t == 0)
            out[row] = last;
    }
}

void run(const int *in, int *out) {
    rounds<<<1, 128>>>(in, out, 500);
}
