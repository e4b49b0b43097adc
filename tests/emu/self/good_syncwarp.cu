// cuwarp-run: any share block=64
// __syncwarp() orders the lanes of its mask, time after time.
__global__ void share(int *out, const int *in) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    for (int d = 1; d < 32; d *= 2) {
        __syncwarp();
        int v = s[t ^ d];
        __syncwarp();
        s[t] += v;
    }
    out[t] = s[t];
}
