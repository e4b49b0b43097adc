// Each lane takes the ballot of the whole warp and counts the bits below its own.
// cuwarp-run: positive-below below block=64
__global__ void below(const int *in, int *out) {
    int i = blockIdx.x * 64 + threadIdx.x, lane = threadIdx.x % 32;
    unsigned lower = (1u << lane) - 1;
    unsigned votes = __ballot_sync(0xffffffff, in[i] > 0) & lower;
    if (lane > 0)
        out[i] = __popc(votes);
}

void run(const int *in, int *out) {
    below<<<4, 64>>>(in, out);
}
