// Two sums by steps of a macro; below the width of a warp nothing stands between them.
// cuwarp-run: moments moments block=256 n=500
#define STEP(d)                                                                                                            \
    if (t < d) {                                                                                                           \
        sum[t] += sum[t + d];                                                                                              \
        square[t] += square[t + d];                                                                                        \
    }

__global__ void moments(const int *in, int *out, int n) {
    __shared__ int sum[256], square[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t, v = i < n ? in[i] : 0;
    sum[t] = v;
    square[t] = v * v;
    for (int d = 128; d >= 32; d /= 2) {
        __syncthreads();
        STEP(d);
    }
    STEP(16); //~ error: implicit-warp-sync
    STEP(8);
    STEP(4);
    STEP(2);
    if (t == 0) {
        out[2 * blockIdx.x] = sum[0] + sum[1];
        out[2 * blockIdx.x + 1] = square[0] + square[1];
    }
}

void run(const int *in, int *out, int n) {
    moments<<<(n + 255) / 256, 256>>>(in, out, n);
}
// cuwarp-gpu: implicit-warp-sync corrected=good_tail_by_macro grid=1024 n=0
