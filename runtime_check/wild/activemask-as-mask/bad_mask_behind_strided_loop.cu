// Lanes add up in a strided loop of different lengths; the sum over the warp takes those that are converged behind it.
// cuwarp-run: first-elements-sum importance block=32 grid=2 n=50
__global__ void importance(const float *in, float *out) {
    float v = 0;
    for (int i = threadIdx.x; i < 50; i += 32)
        v += in[i];
    unsigned mask = __activemask();
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(mask, v, d); //~ warning: activemask-as-mask
    if (threadIdx.x == 0)
        *out = v;
}

void run(const float *in, float *out) {
    importance<<<1, 32>>>(in, out);
}
// cuwarp-gpu: activemask-as-mask corrected=good_mask_behind_strided_loop
