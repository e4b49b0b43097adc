// The lanes of a warp add up by shuffles down; then each of them stores what it has to the place of the row.
// cuwarp-run: warp-reduce rows block=128 n=250
__global__ void rows(const int *in, int *out, int n) {
    int i = blockIdx.x * 128 + threadIdx.x, row = i / 32, v = i < n ? in[i] : 0;
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffff, v, d);
    if (row < (n + 31) / 32)
        out[row] = v; //~ error: implicit-warp-sync
}

void run(const int *in, int *out, int n) {
    rows<<<(n + 127) / 128, 128>>>(in, out, n);
}
// cuwarp-gpu: implicit-warp-sync corrected=good_all_lanes_store_sum grid=1024 n=0
