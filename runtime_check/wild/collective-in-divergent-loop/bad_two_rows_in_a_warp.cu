// Two rows of different length share a warp; the one with fewer iterations leaves, and the mask of the other names its lanes.
// cuwarp-run: uneven-rows rows block=64
__global__ void rows(const int *in, int *out, int n) {
    int i = blockIdx.x * 64 + threadIdx.x, row = i / 16, lane = i % 16, sum = 0;
    int length = threadIdx.x / 16 % 2 ? 32 : 16;
    for (int k = lane; k < length; k += 16) {
        int v = in[row * 32 + k];
        for (int d = 8; d > 0; d /= 2)
            v += __shfl_xor_sync(0xffffffff, v, d, 16); //~ error: collective-in-divergent-loop
        sum += v;
    }
    if (lane == 0)
        out[row] = sum;
}

void run(const int *in, int *out, int n) {
    rows<<<4, 64>>>(in, out, n);
}
// cuwarp-gpu: collective-in-divergent-loop corrected=good_two_rows_in_a_warp grid=64
