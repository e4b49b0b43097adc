// Each thread stores its sum and makes it visible before the barrier in front of the ticket.
// cuwarp-run: grid-reduce total block=64 grid=3 n=180
__device__ unsigned ticket;
__device__ int part[64 * 1024];

__global__ void total(const int *in, int *out, int n) {
    __shared__ unsigned drawn;
    __shared__ int sum;
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    part[blockIdx.x * 64 + t] = i < n ? in[i] : 0;
    __threadfence();
    if (t == 0)
        sum = 0;
    __syncthreads();
    if (t == 0)
        drawn = atomicInc(&ticket, gridDim.x - 1);
    __syncthreads();
    if (drawn == gridDim.x - 1) {
        int mine = 0;
        for (unsigned b = 0; b < gridDim.x; b++)
            mine += part[b * 64 + t];
        atomicAdd(&sum, mine);
        __syncthreads();
        if (t == 0)
            *out = sum;
    }
}

void run(const int *in, int *out, int n) {
    total<<<1024, 64>>>(in, out, n);
}
