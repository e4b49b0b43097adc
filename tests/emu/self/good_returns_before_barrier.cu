// cuwarp-run: any half block=64
// cuwarp-run: any by_macro block=64
// Who has returned is not waited for.
#define LEAVE_UNLESS(condition) \
    if (!(condition))           \
    return

__global__ void half(int *out, const int *in) {
    if (threadIdx.x >= 32)
        return;
    __syncthreads();
    out[threadIdx.x] = in[threadIdx.x];
}

__global__ void by_macro(int *out, const int *in) {
    LEAVE_UNLESS(threadIdx.x < 32);
    __syncthreads();
    out[threadIdx.x] = in[threadIdx.x];
}
