// cuwarp-run: any share block=64
// cuwarp-emu: race
// The last to count reads what the others wrote; without fences the counter orders nothing.
__global__ void share(int *out, const int *in) {
    __shared__ int s[64], arrived;
    int t = threadIdx.x;
    if (t == 0)
        arrived = 0;
    __syncthreads();
    s[t] = in[t];
    if (atomicAdd(&arrived, 1) == 63)
        out[0] = s[0] + s[63];
}
