// cuwarp-run: block-reduce sum<float> block=64
// cuwarp-run: block-reduce sum<int> block=96 grid=3
// Barriers of the block order all its threads, in every round.
template <typename T> __global__ void sum(const T *in, T *out, int n) {
    __shared__ T s[128];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? in[i] : T(0);
    __syncthreads();
    for (int k = 64; k > 0; k /= 2) {
        if (t < k && t + k < blockDim.x)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}
