// Each lane reads its partner's element, waits, stores the sum, and waits.
// cuwarp-run: sum-of-16 colours block=64
__global__ void colours(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t] = in[i];
    __syncwarp();
    for (int d = 8; d > 0; d /= 2) {
        int sum = s[t] + s[t ^ d];
        __syncwarp();
        s[t] = sum;
        __syncwarp();
    }
    if (t % 16 == 0)
        out[i / 16] = s[t];
}

void run(const int *in, int *out) {
    colours<<<4, 64>>>(in, out);
}
