// cuwarp-run: any share block=64
// cuwarp-emu: race
// What fast threads write behind the barrier is not ordered with what slow ones read there, although all have come twice.
__global__ void share(int *out, const int *in) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    out[t] = s[63 - t];
    s[t] = 2 * in[t];
    __syncthreads();
    out[t] += s[63 - t];
}
