// cuwarp-run: any unwritten block=32
// cuwarp-emu: wrong
__global__ void unwritten(int *out) {
    __shared__ int s[33];
    s[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x + 1];
}
