// The mask names the lanes below the length of a sequence, and all lanes of the warp shuffle with it.
// cuwarp-run: first-elements-sum score block=32 grid=1 n=20
__global__ void score(const int *in, int *out) {
    int lane = threadIdx.x, v = lane < 20 ? in[lane] : 0;
    unsigned mask = __ballot_sync(0xffffffff, lane < 20);
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(mask, v, d); //~ error: caller-not-in-mask
    if (lane == 0)
        *out = v;
}

void run(const int *in, int *out) {
    score<<<1, 32>>>(in, out);
}
// cuwarp-gpu: caller-not-in-mask corrected=good_length_as_mask
