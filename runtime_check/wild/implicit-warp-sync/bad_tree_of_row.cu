// A warp adds up a row through shared memory, with nothing between the steps.
// cuwarp-run: warp-reduce rows block=128 n=250
__global__ void rows(const int *in, int *out, int n) {
    __shared__ int s[128];
    int t = threadIdx.x, lane = t % 32, i = blockIdx.x * 128 + t;
    s[t] = i < n ? in[i] : 0;
    for (int d = 16; d > 0; d /= 2) {
        if (lane < d)
            s[t] += s[t + d]; //~ error: implicit-warp-sync
    }
    if (lane == 0 && i < n)
        out[i / 32] = s[t];
}

void run(const int *in, int *out, int n) {
    rows<<<(n + 127) / 128, 128>>>(in, out, n);
}
// cuwarp-gpu: implicit-warp-sync corrected=good_tree_of_row grid=1024 n=0
