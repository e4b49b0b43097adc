// cuwarp-run: any carry block=32 grid=2
// cuwarp-emu: wrong
// Shared memory does not outlive its block.
__global__ void carry(int *out) {
    __shared__ int s[32];
    if (blockIdx.x == 0)
        s[threadIdx.x] = 5;
    __syncthreads();
    out[blockIdx.x * 32 + threadIdx.x] = s[threadIdx.x];
}
