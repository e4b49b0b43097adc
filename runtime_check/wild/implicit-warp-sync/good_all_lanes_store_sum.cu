// The lanes of a warp add up by shuffles down; then lane 0 stores.
// cuwarp-run: warp-reduce rows block=128 n=250
__global__ void rows(const int *in, int *out, int n) {
    int i = blockIdx.x * 128 + threadIdx.x, row = i / 32, v = i < n ? in[i] : 0;
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffff, v, d);
    if (row < (n + 31) / 32 && threadIdx.x % 32 == 0)
        out[row] = v;
}

void run(const int *in, int *out, int n) {
    rows<<<(n + 127) / 128, 128>>>(in, out, n);
}
