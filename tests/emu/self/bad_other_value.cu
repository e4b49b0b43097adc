// cuwarp-run: any last block=64
// cuwarp-emu: race
__global__ void last(int *out) {
    __shared__ int who;
    who = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = who == 63;
}
