// LayerNorm forward: block per row, two-value reduction, row kept in shared memory.
#include <cuda_runtime.h>
#include <cuda_fp16.h>

struct Sum2 { float s, q; };

template <int THREADS>
__device__ Sum2 block_sum(Sum2 v)
{
    constexpr int W = THREADS / 32;
    __shared__ Sum2 part[W];
    __shared__ Sum2 result;
    const int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) {
        v.s += __shfl_down_sync(0xffffffffu, v.s, o);
        v.q += __shfl_down_sync(0xffffffffu, v.q, o);
    }
    if (lane == 0) part[w] = v;
    __syncthreads();
    if (w == 0) {
        v = lane < W ? part[lane] : Sum2{0.f, 0.f};
#pragma unroll
        for (int o = 16; o > 0; o >>= 1) {
            v.s += __shfl_down_sync(0xffffffffu, v.s, o);
            v.q += __shfl_down_sync(0xffffffffu, v.q, o);
        }
        if (lane == 0) result = v;
    }
    __syncthreads();
    return result;
}

template <int THREADS, typename T>
__global__ void layernorm(const T* __restrict__ x, const float* __restrict__ gamma,
                          const float* __restrict__ beta, T* __restrict__ y, int rows, int cols,
                          float eps)
{
    extern __shared__ float row_buf[];
    for (int r = blockIdx.x; r < rows; r += gridDim.x) {
        const T* in = x + (size_t)r * cols;
        Sum2 a{0.f, 0.f};
        for (int c = threadIdx.x; c < cols; c += THREADS) {
            const float f = static_cast<float>(in[c]);
            row_buf[c] = f;                 // read back by the same thread only
            a.s += f;
            a.q += f * f;
        }
        a = block_sum<THREADS>(a);
        const float mean = a.s / cols;
        const float rstd = rsqrtf(fmaxf(a.q / cols - mean * mean, 0.f) + eps);
        for (int c = threadIdx.x; c < cols; c += THREADS)
            y[(size_t)r * cols + c] = static_cast<T>((row_buf[c] - mean) * rstd * gamma[c] + beta[c]);
        __syncthreads();
    }
}

template <typename T>
cudaError_t layernorm_forward(const T* x, const float* g, const float* b, T* y, int rows, int cols,
                              float eps, cudaStream_t s)
{
    if (rows <= 0 || cols <= 0 || cols > 8192) return cudaErrorInvalidValue;
    const int grid = rows < 2048 ? rows : 2048;
    const size_t smem = cols * sizeof(float);
    if (cols <= 512) layernorm<128, T><<<grid, 128, smem, s>>>(x, g, b, y, rows, cols, eps);
    else             layernorm<512, T><<<grid, 512, smem, s>>>(x, g, b, y, rows, cols, eps);
    return cudaGetLastError();
}

template cudaError_t layernorm_forward<float>(const float*, const float*, const float*, float*, int,
                                              int, float, cudaStream_t);
template cudaError_t layernorm_forward<__half>(const __half*, const float*, const float*, __half*,
                                               int, int, float, cudaStream_t);
