// cuwarp-run: any share block=64
// cuwarp-emu: race
// Fences on both sides and nothing between the threads that they could order.
__global__ void share(int *out, const int *in) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __threadfence_block();
    out[t] = s[63 - t];
}
