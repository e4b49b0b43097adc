// cuwarp-run: any share block=32
// cuwarp-emu: race
// Each half meets by itself, and reads from the other one.
__global__ void share(int *out, const int *in) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncwarp(t < 16 ? 0x0000ffff : 0xffff0000);
    out[t] = s[t ^ 16];
}
