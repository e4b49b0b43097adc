// Masked softmax over the last dimension, rows distributed over a fixed grid.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>

namespace fused {

template <typename T> __device__ __forceinline__ float to_float(T v) { return static_cast<float>(v); }
template <typename T> __device__ __forceinline__ T from_float(float v) { return static_cast<T>(v); }
template <> __device__ __forceinline__ float to_float(__half v) { return __half2float(v); }
template <> __device__ __forceinline__ __half from_float(float v) { return __float2half(v); }
template <> __device__ __forceinline__ float to_float(__nv_bfloat16 v) { return __bfloat162float(v); }
template <> __device__ __forceinline__ __nv_bfloat16 from_float(float v) { return __float2bfloat16(v); }

// order-preserving map so that integer atomics can be used for float max
__device__ __forceinline__ int ordered(float f)
{
    const int i = __float_as_int(f);
    return i >= 0 ? i : i ^ 0x7fffffff;
}
__device__ __forceinline__ float unordered(int i) { return __int_as_float(i >= 0 ? i : i ^ 0x7fffffff); }

struct RowState {
    int max;
    float sum;

    __device__ void reset()
    {
        max = ordered(-INFINITY);
        sum = 0.f;
    }
    __device__ void fold_max(float v)
    {
        for (int d = 16; d; d >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, d));
        if ((threadIdx.x & 31) == 0) atomicMax(&max, ordered(v));
    }
    __device__ void fold_sum(float v)
    {
        for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
        if ((threadIdx.x & 31) == 0) atomicAdd(&sum, v);
    }
};

struct SoftmaxParams {
    const uint8_t* mask;  // rows_per_mask rows share one mask row, may be null
    int rows, cols, rows_per_mask;
    float scale;
};

template <typename T, bool HAS_MASK>
__global__ void masked_softmax(const T* __restrict__ x, T* __restrict__ y, SoftmaxParams p)
{
    __shared__ RowState row;

    for (int r = blockIdx.x; r < p.rows; r += gridDim.x) {
        const T* xr = x + (size_t)r * p.cols;
        T* yr = y + (size_t)r * p.cols;
        const uint8_t* mr = HAS_MASK ? p.mask + (size_t)(r / p.rows_per_mask) * p.cols : nullptr;

        if (threadIdx.x == 0) row.reset();
        __syncthreads();

        float m = -INFINITY;
        for (int c = threadIdx.x; c < p.cols; c += blockDim.x)
            if (!HAS_MASK || mr[c]) m = fmaxf(m, p.scale * to_float(xr[c]));
        row.fold_max(m);
        __syncthreads();
        m = unordered(row.max);
        if (m == -INFINITY) m = 0.f;  // everything masked

        float s = 0.f;
        for (int c = threadIdx.x; c < p.cols; c += blockDim.x)
            if (!HAS_MASK || mr[c]) s += __expf(p.scale * to_float(xr[c]) - m);
        row.fold_sum(s);
        __syncthreads();

        const float inv = row.sum > 0.f ? 1.f / row.sum : 0.f;
        for (int c = threadIdx.x; c < p.cols; c += blockDim.x) {
            const bool on = !HAS_MASK || mr[c];
            yr[c] = from_float<T>(on ? inv * __expf(p.scale * to_float(xr[c]) - m) : 0.f);
        }
        __syncthreads();
    }
}

template <typename T>
cudaError_t softmax(const T* x, T* y, const uint8_t* mask, int rows, int cols, int heads, float scale,
                    cudaStream_t stream)
{
    if (rows == 0 || cols == 0) return cudaSuccess;
    int dev = 0, sms = 0;
    cudaGetDevice(&dev);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);

    int threads = 32;
    while (threads < cols / 2 && threads < 512) threads *= 2;
    const int grid = rows < 8 * sms ? rows : 8 * sms;
    const SoftmaxParams p{mask, rows, cols, heads, scale};
    if (mask)
        masked_softmax<T, true><<<grid, threads, 0, stream>>>(x, y, p);
    else
        masked_softmax<T, false><<<grid, threads, 0, stream>>>(x, y, p);
    return cudaGetLastError();
}

template cudaError_t softmax<float>(const float*, float*, const uint8_t*, int, int, int, float, cudaStream_t);
template cudaError_t softmax<__half>(const __half*, __half*, const uint8_t*, int, int, int, float, cudaStream_t);
template cudaError_t softmax<__nv_bfloat16>(const __nv_bfloat16*, __nv_bfloat16*, const uint8_t*, int, int, int, float,
                                            cudaStream_t);

}  // namespace fused
