// cuwarp-run: any share block=64
// cuwarp-emu: race
// The writers have their fence, the reader has none.
__global__ void share(int *out, const int *in) {
    __shared__ int s[64], arrived;
    int t = threadIdx.x;
    if (t == 0)
        arrived = 0;
    __syncthreads();
    s[t] = in[t];
    __threadfence_block();
    if (atomicAdd(&arrived, 1) == 63)
        out[0] = s[0] + s[63];
}
