// Weights of a tile are shared by all threads; the check of the pixel guards the result.
// cuwarp-run: block-total weigh block=256 grid=2 n=400
__global__ void weigh(const int *in, int *out, int n) {
    __shared__ int weight[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    weight[t] = i < n ? in[i] : 0;
    __syncthreads();
    if (i < n) {
        int sum = 0;
        for (int k = 0; k < 256; k++)
            sum += weight[k];
        out[i] = sum;
    }
}

void run(const int *in, int *out) {
    weigh<<<16, 256>>>(in, out, 4000);
}
