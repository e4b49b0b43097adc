// Generic warp reduction with functors over several element types.
#include <cuda_runtime.h>
#include <cuda_fp16.h>

template <typename T> struct Plus  { __device__ T operator()(T a, T b) const { return a + b; } };
template <typename T> struct Least { __device__ T operator()(T a, T b) const { return b < a ? b : a; } };
template <typename T> struct Most  {
    __device__ T operator()(T a, T b) const
    {
        if (a < b) return b;
        return a;
    }
};

template <int W, typename T, class Op>
__device__ __forceinline__ T subwarp_reduce(T v, Op op, unsigned mask)
{
    static_assert(W == 2 || W == 4 || W == 8 || W == 16 || W == 32, "power of two");
#pragma unroll
    for (int m = W / 2; m > 0; m /= 2)
        v = op(v, __shfl_xor_sync(mask, v, m, W));
    return v;
}

template <int W>
__device__ __forceinline__ unsigned group_mask()
{
    if (W == 32) return 0xffffffffu;
    const unsigned lane = threadIdx.x & 31u;
    return ((1u << (W & 31)) - 1u) << (lane & ~(unsigned)(W - 1));
}

// One group of W lanes per segment.
template <int W, typename T, class Op>
__global__ void reduce_segments(const T* __restrict__ in, const int* __restrict__ begin,
                                int nseg, T init, T* __restrict__ out, Op op)
{
    const int gid   = (blockIdx.x * blockDim.x + threadIdx.x) / W;
    const int glane = threadIdx.x & (W - 1);
    if (gid >= nseg) return;                    // the W lanes of a group go together
    const unsigned mask = group_mask<W>();

    const int b = begin[gid], e = begin[gid + 1];
    T acc = init;
    for (int i = b + glane; i < e; i += W) acc = op(acc, in[i]);
    acc = subwarp_reduce<W>(acc, op, mask);
    if (glane == 0) out[gid] = acc;
}

template <int W, typename T, class Op>
static cudaError_t run(const T* in, const int* begin, int nseg, T init, T* out, Op op,
                       cudaStream_t s)
{
    const int threads = 128;
    const int per_block = threads / W;
    reduce_segments<W><<<(nseg + per_block - 1) / per_block, threads, 0, s>>>(
        in, begin, nseg, init, out, op);
    return cudaGetLastError();
}

cudaError_t segment_sum_f64(const double* in, const int* begin, int nseg, double avg_len,
                            double* out, cudaStream_t s)
{
    if (nseg <= 0) return cudaSuccess;
    if (avg_len < 6)  return run<4>(in, begin, nseg, 0.0, out, Plus<double>(), s);
    if (avg_len < 12) return run<8>(in, begin, nseg, 0.0, out, Plus<double>(), s);
    if (avg_len < 24) return run<16>(in, begin, nseg, 0.0, out, Plus<double>(), s);
    return run<32>(in, begin, nseg, 0.0, out, Plus<double>(), s);
}

cudaError_t segment_min_i64(const long long* in, const int* begin, int nseg, long long* out,
                            cudaStream_t s)
{
    if (nseg <= 0) return cudaSuccess;
    return run<8>(in, begin, nseg, 0x7fffffffffffffffLL, out, Least<long long>(), s);
}

cudaError_t segment_max_i32(const int* in, const int* begin, int nseg, int* out, cudaStream_t s)
{
    if (nseg <= 0) return cudaSuccess;
    return run<16>(in, begin, nseg, -2147483647 - 1, out, Most<int>(), s);
}
