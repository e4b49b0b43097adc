// A tree in which also threads add that nobody needs: they change what others read in the same step.
// cuwarp-run: block-reduce loss block=256 n=500
__global__ void loss(const int *in, int *out, int n) {
    __shared__ int s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int stride = 128; stride > 0; stride /= 2) {
        if (t + stride < 256)
            s[t] += s[t + stride]; //~ error: missing-syncthreads
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

void run(const int *in, int *out, int n) {
    loss<<<(n + 255) / 256, 256>>>(in, out, n);
}
// cuwarp-gpu: missing-syncthreads corrected=good_tree_of_all_threads grid=1024 n=0
