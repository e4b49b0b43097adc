// Dot product in one launch, last block finishes. Build: nvcc -arch=sm_80
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>

namespace blas1 {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kMaxBlocks = 512;

struct Workspace {
    double* partial; // kMaxBlocks * kWarps
    unsigned* ticket; // zero between launches
};

__device__ __forceinline__ double warpSum(double v)
{
#pragma unroll
    for (int o = 16; o > 0; o >>= 1)
        v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}

__device__ bool arriveLast(unsigned* ticket)
{
    __shared__ bool s_last;
    __syncthreads();
    if (threadIdx.x == 0)
        s_last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    return s_last;
}

template <typename T, typename F>
__global__ void __launch_bounds__(kThreads)
reduceKernel(const T* x, const T* y, size_t n, F f, Workspace ws, double* result)
{
    __shared__ double s_sum[kWarps];
    const int lane = threadIdx.x & 31;
    const int wid = threadIdx.x >> 5;

    double v = 0.0;
    const size_t stride = size_t(gridDim.x) * kThreads;
    for (size_t i = size_t(blockIdx.x) * kThreads + threadIdx.x; i < n; i += stride)
        v += f(x[i], y[i]);
    v = warpSum(v);
    if (lane == 0) {
        ws.partial[blockIdx.x * kWarps + wid] = v;
        __threadfence();
    }

    if (!arriveLast(ws.ticket))
        return;

    __threadfence();
    double t = 0.0;
    const int total = gridDim.x * kWarps;
    for (int k = threadIdx.x; k < total; k += kThreads)
        t += __ldcg(&ws.partial[k]);
    t = warpSum(t);
    if (lane == 0)
        s_sum[wid] = t;
    __syncthreads();
    if (wid == 0) {
        t = warpSum(lane < kWarps ? s_sum[lane] : 0.0);
        if (lane == 0)
            *result = t;
    }
}

struct Product {
    template <typename T>
    __device__ double operator()(T a, T b) const
    {
        return double(a) * double(b);
    }
};

struct SquaredDistance {
    template <typename T>
    __device__ double operator()(T a, T b) const
    {
        const double d = double(a) - double(b);
        return d * d;
    }
};

template <typename T, typename F>
static cudaError_t run(const T* x, const T* y, size_t n, F f, const Workspace& ws,
                       double* result, cudaStream_t s)
{
    const size_t want = (n + kThreads - 1) / kThreads;
    const int grid = int(std::max<size_t>(1, std::min<size_t>(want, kMaxBlocks)));
    reduceKernel<<<grid, kThreads, 0, s>>>(x, y, n, f, ws, result);
    return cudaGetLastError();
}

cudaError_t dot(const float* x, const float* y, size_t n, const Workspace& ws, double* r,
                cudaStream_t s)
{
    return run(x, y, n, Product(), ws, r, s);
}

cudaError_t dist2(const double* x, const double* y, size_t n, const Workspace& ws, double* r,
                  cudaStream_t s)
{
    return run(x, y, n, SquaredDistance(), ws, r, s);
}

} // namespace blas1
