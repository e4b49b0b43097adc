// Threads without a body load and wait like the others, and store nothing.
// cuwarp-run: all-pairs integrate block=256 grid=2 n=500
__device__ int interact(const int *in, int own, int tiles) {
    __shared__ int tile[256];
    int sum = 0;
    for (int k = 0; k < tiles; k++) {
        tile[threadIdx.x] = in[k * 256 + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 256; j++)
            sum += tile[j] * own;
        __syncthreads();
    }
    return sum;
}

__global__ void integrate(const int *in, int *out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    int force = interact(in, in[i], gridDim.x);
    if (i >= n)
        return;
    out[i] = force;
}

void run(const int *in, int *out) {
    integrate<<<8, 256>>>(in, out, 2000);
}
