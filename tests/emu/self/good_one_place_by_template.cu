// cuwarp-run: any both block=32
// Two instantiations of a template, or two calls of a helper, are one place.
template <int Sign> __device__ int swap(int v) {
    return __shfl_xor_sync(0xffffffff, Sign * v, 16);
}

__global__ void both(int *out, const int *in) {
    int t = threadIdx.x;
    if (t < 16)
        out[t] = swap<1>(in[t]);
    else
        out[t] = swap<-1>(in[t]);
}
