// Softmax, one warp per row; the row count need not fill the last block.
#include <cuda_runtime.h>
#include <stdexcept>

#define TORCH_LIKE_CHECK(c, msg) do { if (!(c)) throw std::runtime_error(msg); } while (0)

constexpr unsigned FULL = 0xffffffffu;

template <typename Op>
__device__ __forceinline__ float warpAll(float v, Op op)
{
    #pragma unroll
    for (int m = 16; m >= 1; m >>= 1) v = op(v, __shfl_xor_sync(FULL, v, m));
    return v;
}

template <int MAXPER>
__global__ void softmaxRows(const float* __restrict__ in, float* __restrict__ out, int rows, int cols)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    if (row >= rows) return;    // blockDim.x is a multiple of 32: whole warps leave
    const float* x = in + (size_t)row * cols;
    float* y = out + (size_t)row * cols;

    float v[MAXPER];
    float mx = -3.402823466e38f;
    #pragma unroll
    for (int k = 0; k < MAXPER; ++k) {
        const int c = k * 32 + lane;
        v[k] = c < cols ? x[c] : -3.402823466e38f;
        mx = fmaxf(mx, v[k]);
    }
    mx = warpAll(mx, [](float a, float b) { return fmaxf(a, b); });
    float sum = 0.f;
    #pragma unroll
    for (int k = 0; k < MAXPER; ++k) {
        v[k] = k * 32 + lane < cols ? __expf(v[k] - mx) : 0.f;
        sum += v[k];
    }
    sum = warpAll(sum, [](float a, float b) { return a + b; });
    const float inv = 1.f / sum;
    #pragma unroll
    for (int k = 0; k < MAXPER; ++k) {
        const int c = k * 32 + lane;
        if (c < cols) y[c] = v[k] * inv;
    }
}

void softmax(const float* in, float* out, int rows, int cols, cudaStream_t s)
{
    TORCH_LIKE_CHECK(rows >= 0 && rows < (1 << 26), "rows");
    TORCH_LIKE_CHECK(cols > 0 && cols <= 1024, "cols must be in 1..1024");
    if (rows == 0) return;
    const int warps = cols > 256 ? 4 : 8;
    const dim3 block(warps * 32);
    const int grid = (rows + warps - 1) / warps;
    if (cols <= 64) softmaxRows<2><<<grid, block, 0, s>>>(in, out, rows, cols);
    else if (cols <= 256) softmaxRows<8><<<grid, block, 0, s>>>(in, out, rows, cols);
    else softmaxRows<32><<<grid, block, 0, s>>>(in, out, rows, cols);
}
