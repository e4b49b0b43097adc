// Threads without a body return; each should have loaded its part of every tile.
// cuwarp-run: all-pairs integrate block=256 grid=2 n=500
__device__ int interact(const int *in, int own, int tiles) {
    __shared__ int tile[256];
    int sum = 0;
    for (int k = 0; k < tiles; k++) {
        tile[threadIdx.x] = in[k * 256 + threadIdx.x];
        __syncthreads(); //~ error: exit-before-barrier
        for (int j = 0; j < 256; j++)
            sum += tile[j] * own;
        __syncthreads();
    }
    return sum;
}

__global__ void integrate(const int *in, int *out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    int force = interact(in, in[i], gridDim.x);
    out[i] = force;
}

void run(const int *in, int *out) {
    integrate<<<8, 256>>>(in, out, 2000);
}
// cuwarp-gpu: exit-before-barrier corrected=good_bodies_have_left grid=8 n=2000
