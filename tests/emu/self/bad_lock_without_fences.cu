// cuwarp-run: any count block=32
// cuwarp-emu: race
__global__ void count(int *out) {
    __shared__ int lock, sum;
    if (threadIdx.x == 0)
        lock = sum = 0;
    __syncthreads();
    while (atomicCAS(&lock, 0, 1) != 0)
        ;
    sum += threadIdx.x;
    atomicExch(&lock, 0);
    __syncthreads();
    out[threadIdx.x] = sum;
}
