// cuwarp-run: any wait block=32
// cuwarp-emu: hang
// Nobody sets the flag.
__global__ void wait(int *out) {
    __shared__ int flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    while (atomicAdd(&flag, 0) == 0)
        ;
    out[threadIdx.x] = 1;
}
