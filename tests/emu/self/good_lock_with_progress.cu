// cuwarp-run: any count block=32
// Every thread makes progress, so that a lock within a warp is no deadlock; fences order what it protects.
__global__ void count(int *out) {
    __shared__ int lock, sum;
    if (threadIdx.x == 0)
        lock = sum = 0;
    __syncthreads();
    while (atomicCAS(&lock, 0, 1) != 0)
        ;
    __threadfence_block();
    sum += threadIdx.x;
    __threadfence_block();
    atomicExch(&lock, 0);
    __syncthreads();
    out[threadIdx.x] = sum;
}
