// Segment-wise inclusive scan, one block per segment. Build: nvcc -arch=sm_80
#include <cuda_runtime.h>
#include <cstdio>

namespace seg {

enum : int { BLOCK = 512, WARP = 32, NWARP = BLOCK / WARP };

template <typename T>
__device__ __forceinline__ T warpInclusive(T v)
{
    const int lane = threadIdx.x & (WARP - 1);
#pragma unroll
    for (int d = 1; d < WARP; d <<= 1) {
        T u = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d)
            v += u;
    }
    return v;
}

template <typename T>
struct ScanStorage {
    T warpTotals[NWARP];
};

template <typename T>
__device__ T blockInclusive(T v, ScanStorage<T>& st)
{
    const int lane = threadIdx.x & (WARP - 1);
    const int wid = threadIdx.x / WARP;
    v = warpInclusive(v);
    if (lane == WARP - 1)
        st.warpTotals[wid] = v;
    __syncthreads();
    if (wid == 0) {
        T t = lane < NWARP ? st.warpTotals[lane] : T(0);
        t = warpInclusive(t);
        if (lane < NWARP)
            st.warpTotals[lane] = t;
    }
    __syncthreads();
    if (wid > 0)
        v += st.warpTotals[wid - 1];
    return v;
}

template <typename T>
__global__ void __launch_bounds__(BLOCK)
segmentScanKernel(const T* __restrict__ in, T* __restrict__ out,
                  const int* __restrict__ offsets)
{
    __shared__ ScanStorage<T> storage;
    __shared__ T s_carry;

    const int beg = offsets[blockIdx.x];
    const int end = offsets[blockIdx.x + 1];
    if (threadIdx.x == 0)
        s_carry = T(0);

    for (int base = beg; base < end; base += BLOCK) {
        const int i = base + threadIdx.x;
        const T v = i < end ? in[i] : T(0);
        const T incl = blockInclusive(v, storage);
        const T res = incl + s_carry;
        if (i < end)
            out[i] = res;
        if (threadIdx.x == BLOCK - 1)
            s_carry = res;
        __syncthreads();
    }
}

template <typename T>
cudaError_t segmentScan(const T* in, T* out, const int* offsets, int nseg,
                        cudaStream_t stream = 0)
{
    if (nseg <= 0)
        return cudaSuccess;
    segmentScanKernel<T><<<nseg, BLOCK, 0, stream>>>(in, out, offsets);
    return cudaGetLastError();
}

template cudaError_t segmentScan<int>(const int*, int*, const int*, int, cudaStream_t);
template cudaError_t segmentScan<double>(const double*, double*, const int*, int,
                                         cudaStream_t);

} // namespace seg
