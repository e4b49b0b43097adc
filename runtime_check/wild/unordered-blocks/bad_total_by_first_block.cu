// All blocks store their elements, and the first one adds all of them up, without waiting for the others.
// cuwarp-run: grid-reduce total block=64 grid=3 n=180
__device__ int work[64 * 1024];

__global__ void total(const int *in, int *out, int n) {
    __shared__ int sums[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    work[i] = i < n ? in[i] : 0;
    if (blockIdx.x > 0)
        return;
    sums[t] = 0;
    for (unsigned b = 0; b < gridDim.x; b++)
        sums[t] += work[b * 64 + t]; //~ error: unordered-blocks
    __syncthreads();
    if (t == 0) {
        int sum = 0;
        for (int k = 0; k < 64; k++)
            sum += sums[k];
        *out = sum;
    }
}

void run(const int *in, int *out, int n) {
    total<<<1024, 64>>>(in, out, n);
}
// cuwarp-gpu: unordered-blocks corrected=good_total_by_first_block grid=1024 n=65500
