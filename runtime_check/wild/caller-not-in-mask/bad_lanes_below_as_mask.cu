// Each lane counts the lanes below it by a ballot whose mask names these and not the lane itself.
// cuwarp-run: positive-below below block=64
__global__ void below(const int *in, int *out) {
    int i = blockIdx.x * 64 + threadIdx.x, lane = threadIdx.x % 32;
    unsigned lower = (1u << lane) - 1;
    unsigned votes = __ballot_sync(lower, in[i] > 0); //~ error: caller-not-in-mask
    if (lane > 0)
        out[i] = __popc(votes);
}

void run(const int *in, int *out) {
    below<<<4, 64>>>(in, out);
}
// cuwarp-gpu: caller-not-in-mask corrected=good_lanes_below_as_mask grid=64
