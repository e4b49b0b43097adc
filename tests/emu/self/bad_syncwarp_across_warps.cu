// cuwarp-run: any share block=64
// cuwarp-emu: race
__global__ void share(int *out, const int *in) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncwarp();
    out[t] = s[t ^ 32];
}
