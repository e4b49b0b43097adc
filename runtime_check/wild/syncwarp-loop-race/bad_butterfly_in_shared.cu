// Each lane adds its partner's element to its own, in place, and waits behind that: a partner may have been added to before it is read.
// cuwarp-run: sum-of-16 colours block=64
__global__ void colours(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t] = in[i];
    __syncwarp();
    for (int d = 8; d > 0; d /= 2) {
        s[t] += s[t ^ d]; //~ error: syncwarp-loop-race
        __syncwarp();
    }
    if (t % 16 == 0)
        out[i / 16] = s[t];
}

void run(const int *in, int *out) {
    colours<<<4, 64>>>(in, out);
}
// cuwarp-gpu: syncwarp-loop-race corrected=good_butterfly_in_shared grid=1024
