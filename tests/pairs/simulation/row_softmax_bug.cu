// Row softmax of small score matrices, several rows per block. Build: nvcc -arch=sm_80
#include <cuda_runtime.h>
#include <cfloat>
#include <cstdio>

namespace attn {

struct Max {
    __device__ static float init() { return -FLT_MAX; }
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

struct Sum {
    __device__ static float init() { return 0.f; }
    __device__ float operator()(float a, float b) const { return a + b; }
};

template <int W>
__device__ __forceinline__ void rowSync()
{
    __syncwarp();
}

// Reduction over the W threads that share threadIdx.y; result to all of them.
template <int W, class Op>
__device__ float rowReduce(float v, float* row, Op op)
{
    const int x = threadIdx.x;
    row[x] = v;
    rowSync<W>();
#pragma unroll
    for (int h = W / 2; h > 0; h >>= 1) {
        if (x < h)
            row[x] = op(row[x], row[x + h]);
        rowSync<W>();
    }
    const float r = row[0];
    rowSync<W>();
    return r;
}

struct Scores {
    const float* in;
    float* out;
    int rows, cols;
    float scale;
    __device__ size_t at(int r, int c) const { return size_t(r) * cols + c; }
};

template <int W, int H>
__global__ void __launch_bounds__(W* H) softmaxKernel(Scores m)
{
    static_assert(W == 32 || W == 64, "threads per row");
    __shared__ float s_row[H][W];
    float* row = s_row[threadIdx.y];

    const int groups = (m.rows + H - 1) / H;
    for (int g = blockIdx.x; g < groups; g += gridDim.x) {
        const int r = g * H + threadIdx.y;
        const bool live = r < m.rows;

        float hi = Max::init();
        if (live)
            for (int c = threadIdx.x; c < m.cols; c += W)
                hi = fmaxf(hi, m.scale * m.in[m.at(r, c)]);
        hi = rowReduce<W>(hi, row, Max());

        float sum = Sum::init();
        if (live)
            for (int c = threadIdx.x; c < m.cols; c += W)
                sum += __expf(m.scale * m.in[m.at(r, c)] - hi);
        sum = rowReduce<W>(sum, row, Sum());

        if (live) {
            const float inv = 1.0f / sum;
            for (int c = threadIdx.x; c < m.cols; c += W)
                m.out[m.at(r, c)] = __expf(m.scale * m.in[m.at(r, c)] - hi) * inv;
        }
    }
}

template <int W, int H>
static cudaError_t launch(const Scores& m, cudaStream_t s)
{
    const int groups = (m.rows + H - 1) / H;
    const int grid = groups < 1024 ? groups : 1024;
    softmaxKernel<W, H><<<grid, dim3(W, H), 0, s>>>(m);
    return cudaGetLastError();
}

cudaError_t softmaxRows(const float* in, float* out, int rows, int cols, float scale,
                        cudaStream_t s)
{
    if (rows <= 0 || cols <= 0)
        return cudaSuccess;
    const Scores m{in, out, rows, cols, scale};
    if (cols <= 32)
        return launch<32, 8>(m, s);
    return launch<64, 4>(m, s);
}

} // namespace attn
