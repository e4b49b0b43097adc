// Warp-per-row softmax on half data, rows up to 1024 columns kept in registers.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math_constants.h>

template <typename T>
__device__ T all_max(T v)
{
#pragma unroll
    for (int o = 16; o; o /= 2) {
        T u = __shfl_xor_sync(0xffffffff, v, o, 32);
        v = v > u ? v : u;
    }
    return v;
}

template <typename T>
__device__ T all_sum(T v)
{
#pragma unroll
    for (int o = 16; o; o /= 2) v += __shfl_xor_sync(0xffffffff, v, o, 32);
    return v;
}

template <int PER_LANE>
__global__ void softmax_rows(const __half* __restrict__ in, __half* __restrict__ out, int rows,
                             int cols, float scale)
{
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    const int lane = threadIdx.x;
    in  += static_cast<size_t>(row) * cols;
    out += static_cast<size_t>(row) * cols;

    float x[PER_LANE];
    float top = -CUDART_INF_F;
#pragma unroll
    for (int k = 0; k < PER_LANE; ++k) {
        const int c = lane + 32 * k;
        x[k] = c < cols ? __half2float(in[c]) * scale : -CUDART_INF_F;
        top = fmaxf(top, x[k]);
    }
    top = all_max(top);

    if (top == -CUDART_INF_F) {        // fully masked row
#pragma unroll
        for (int k = 0; k < PER_LANE; ++k)
            if (lane + 32 * k < cols) out[lane + 32 * k] = __float2half(0.f);
        return;
    }

    float sum = 0.f;
#pragma unroll
    for (int k = 0; k < PER_LANE; ++k) {
        x[k] = __expf(x[k] - top);
        sum += x[k];
    }
    sum = all_sum(sum);
    const float inv = 1.f / sum;
#pragma unroll
    for (int k = 0; k < PER_LANE; ++k) {
        const int c = lane + 32 * k;
        if (c < cols) out[c] = __float2half_rn(x[k] * inv);
    }
}

cudaError_t softmax_f16(const __half* in, __half* out, int rows, int cols, float scale,
                        cudaStream_t s)
{
    if (rows <= 0 || cols <= 0 || cols > 1024) return cudaErrorInvalidValue;
    dim3 b(32, 4);
    dim3 g((rows + 3) / 4);
    if (cols <= 64)       softmax_rows<2><<<g, b, 0, s>>>(in, out, rows, cols, scale);
    else if (cols <= 256) softmax_rows<8><<<g, b, 0, s>>>(in, out, rows, cols, scale);
    else                  softmax_rows<32><<<g, b, 0, s>>>(in, out, rows, cols, scale);
    return cudaGetLastError();
}
