// cuwarp-run: warp-reduce sum<float> block=64
// cuwarp-emu: wrong
// The smallest set that __activemask() may give is the caller.
template <typename T> __global__ void sum(const T *in, T *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    T v = i < n ? in[i] : T(0);
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(__activemask(), v, d);
    if (i < n && threadIdx.x % 32 == 0)
        out[i / 32] = v;
}
