// Row-wise min/max normalisation of a dense matrix. Build: nvcc -arch=sm_80
#include <cuda_runtime.h>
#include <cfloat>
#include <cstdio>
#include <cstdlib>

#define CUDA_CHECK(x)                                                        \
    do {                                                                     \
        cudaError_t e_ = (x);                                                \
        if (e_ != cudaSuccess) {                                             \
            std::fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__,           \
                         cudaGetErrorString(e_));                            \
            std::exit(1);                                                    \
        }                                                                    \
    } while (0)

namespace stats {

constexpr int kWarp = 32;
constexpr int kThreads = 256;
constexpr int kWarps = kThreads / kWarp;

struct MinOp {
    static __device__ float identity() { return FLT_MAX; }
    __device__ float operator()(float a, float b) const { return fminf(a, b); }
};

struct MaxOp {
    static __device__ float identity() { return -FLT_MAX; }
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

template <class Op>
__device__ __forceinline__ float warpAllReduce(float v, Op op)
{
#pragma unroll
    for (int o = kWarp / 2; o > 0; o >>= 1)
        v = op(v, __shfl_xor_sync(0xffffffffu, v, o));
    return v;
}

// Every thread of the block receives the result.
template <class Op>
__device__ float blockAllReduce(float v, float* scratch, Op op)
{
    const int lane = threadIdx.x % kWarp;
    const int wid = threadIdx.x / kWarp;
    v = warpAllReduce(v, op);
    if (lane == 0)
        scratch[wid] = v;
    __syncthreads();
    float r = lane < kWarps ? scratch[lane] : Op::identity();
    r = warpAllReduce(r, op);
    __syncthreads();
    return r;
}

__global__ void __launch_bounds__(kThreads)
normaliseRows(const float* __restrict__ in, float* __restrict__ out,
              int rows, int cols, float eps)
{
    __shared__ float scratch[kWarps];
    for (int r = blockIdx.x; r < rows; r += gridDim.x) {
        const float* src = in + size_t(r) * cols;
        float* dst = out + size_t(r) * cols;
        float lo = MinOp::identity();
        float hi = MaxOp::identity();
        for (int c = threadIdx.x; c < cols; c += kThreads) {
            const float v = src[c];
            lo = fminf(lo, v);
            hi = fmaxf(hi, v);
        }
        lo = blockAllReduce(lo, scratch, MinOp());
        hi = blockAllReduce(hi, scratch, MaxOp());
        const float scale = 1.0f / (hi - lo + eps);
        for (int c = threadIdx.x; c < cols; c += kThreads)
            dst[c] = (src[c] - lo) * scale;
    }
}

void normalise(const float* in, float* out, int rows, int cols, cudaStream_t s)
{
    if (rows <= 0 || cols <= 0)
        return;
    int dev = 0, sms = 0;
    CUDA_CHECK(cudaGetDevice(&dev));
    CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev));
    const int grid = rows < 8 * sms ? rows : 8 * sms;
    normaliseRows<<<grid, kThreads, 0, s>>>(in, out, rows, cols, 1e-6f);
    CUDA_CHECK(cudaGetLastError());
}

} // namespace stats
