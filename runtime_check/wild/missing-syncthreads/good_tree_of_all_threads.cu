// A tree in which only the lower half adds, so that nobody changes what is read.
// cuwarp-run: block-reduce loss block=256 n=500
__global__ void loss(const int *in, int *out, int n) {
    __shared__ int s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int stride = 128; stride > 0; stride /= 2) {
        if (t < stride)
            s[t] += s[t + stride];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

void run(const int *in, int *out, int n) {
    loss<<<(n + 255) / 256, 256>>>(in, out, n);
}
