// cuwarp-run: any share block=64
// The last to count reads what the others wrote: a fence before each arrival, and one behind the last.
__global__ void share(int *out, const int *in) {
    __shared__ int s[64], arrived;
    int t = threadIdx.x;
    if (t == 0)
        arrived = 0;
    __syncthreads();
    s[t] = in[t];
    __threadfence_block();
    if (atomicAdd(&arrived, 1) == 63) {
        __threadfence_block();
        out[0] = s[0] + s[63];
    }
}
