// Threads beyond the border store what a border is worth, and return behind the barrier.
// cuwarp-run: differences scan block=256 grid=2 n=400
__global__ void scan(const int *in, int *out, int n) {
    __shared__ int s[257];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    if (i >= n)
        return;
    out[i] = s[(t + 1) % 256] - s[t];
}

void run(const int *in, int *out) {
    scan<<<16, 256>>>(in, out, 3990);
}
