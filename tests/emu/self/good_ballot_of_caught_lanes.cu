// cuwarp-run: any keep block=64
// Whoever is caught counts itself: right for one lane and for all of them.
__global__ void keep(int *out, const int *in) {
    __shared__ int counter;
    if (threadIdx.x == 0)
        counter = 0;
    __syncthreads();
    int v = in[threadIdx.x];
    if (v > 0) {
        unsigned m = __activemask(), lane = threadIdx.x % 32;
        int leader = __ffs(m) - 1, base = 0;
        if (lane == leader)
            base = atomicAdd(&counter, __popc(m));
        base = __shfl_sync(m, base, leader);
        out[base + __popc(m & ((1u << lane) - 1))] = v;
    }
}
