// All threads read which way a row goes; thread 0 turns the flag without waiting for them.
// cuwarp-run: rows-with-sign steps block=256 grid=1 n=20
__global__ void steps(const int *in, int *out, int n) {
    __shared__ int odd;
    int t = threadIdx.x;
    if (t == 0)
        odd = 0;
    __syncthreads();
    for (int row = 0; row < n; row++) {
        int v = in[row * 256 + t];
        out[row * 256 + t] = odd ? -v : v;
        if (t == 0)
            odd = (odd + 1) % 2; //~ error: scratch-reuse
        __syncthreads();
    }
}

void run(const int *in, int *out) {
    steps<<<1, 256>>>(in, out, 2000);
}
// cuwarp-gpu: scratch-reuse corrected=good_flag_flipped_by_one n=2000
