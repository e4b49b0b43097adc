// cuwarp-run: any count block=64
// cuwarp-emu: race
__global__ void count(int *out, const int *in) {
    __shared__ int bins[8];
    if (threadIdx.x < 8)
        bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[in[threadIdx.x] & 7], 1);
    if (threadIdx.x < 8)
        out[threadIdx.x] = bins[threadIdx.x];
}
