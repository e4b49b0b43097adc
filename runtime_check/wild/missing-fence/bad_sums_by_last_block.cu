// All threads store their block's sums, a barrier, and thread 0 draws the ticket; the last block reads the sums of all.
// cuwarp-run: grid-reduce total block=64 grid=3 n=180
// cuwarp-emu: clean (blocks run one after the other)
__device__ unsigned ticket;
__device__ int part[64 * 1024];

__global__ void total(const int *in, int *out, int n) {
    __shared__ unsigned drawn;
    __shared__ int sum;
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    part[blockIdx.x * 64 + t] = i < n ? in[i] : 0;
    if (t == 0)
        sum = 0;
    __syncthreads();
    if (t == 0)
        drawn = atomicInc(&ticket, gridDim.x - 1); //~ error: missing-fence
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
// cuwarp-gpu: missing-fence corrected=good_sums_by_last_block grid=1024 n=65500
