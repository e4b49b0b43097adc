// cuwarp-run: block-scan scan<unsigned> block=32 smem=256
// Two buffers carved out of dynamic shared memory, swapped in every round.
template <typename T> __global__ void scan(const T *in, T *out, int n) {
    extern __shared__ unsigned char raw[];
    T *from = reinterpret_cast<T *>(raw), *to = from + 32;
    int t = threadIdx.x, i = blockIdx.x * 32 + t;
    from[t] = i < n ? in[i] : T(0);
    __syncthreads();
    for (int d = 1; d < 32; d *= 2) {
        to[t] = t >= d ? from[t] + from[t - d] : from[t];
        __syncthreads();
        T *swap = from;
        from = to;
        to = swap;
    }
    if (i < n)
        out[i] = from[t];
}
