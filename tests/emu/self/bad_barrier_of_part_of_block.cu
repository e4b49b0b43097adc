// cuwarp-run: any part block=64
// cuwarp-emu: violation
__global__ void part(int *out) {
    if (threadIdx.x < 40)
        __syncthreads();
    else
        __syncthreads();
    out[threadIdx.x] = 1;
}
