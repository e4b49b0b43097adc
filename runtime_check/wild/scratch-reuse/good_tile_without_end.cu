// Tiles of a set come into shared memory in a loop that ends with a barrier.
// cuwarp-run: all-pairs pairs block=256 grid=2 n=500
__global__ void pairs(const int *in, int *out, int n) {
    __shared__ int tile[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t, sum = 0, own = i < n ? in[i] : 0;
    for (int first = 0; first < n; first += 256) {
        if (first + t < n)
            tile[t] = in[first + t];
        __syncthreads();
        for (int k = 0; k < 256 && first + k < n; k++)
            sum += tile[k] * own;
        __syncthreads();
    }
    if (i < n)
        out[i] = sum;
}

void run(const int *in, int *out) {
    pairs<<<16, 256>>>(in, out, 4089);
}
