// The check of the index guards the result alone; all threads load and wait.
// cuwarp-run: all-pairs forces block=256 grid=2 n=500
__global__ void forces(const int *in, int *out, int n) {
    __shared__ int tile[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    int sum = 0;
    for (int k = 0; k < gridDim.x; k++) {
        tile[t] = in[k * 256 + t];
        __syncthreads();
        for (int j = 0; j < 256; j++)
            sum += tile[j] * in[i];
        __syncthreads();
    }
    if (i < n)
        out[i] = sum;
}

void run(const int *in, int *out) {
    forces<<<8, 256>>>(in, out, 2000);
}
