// C = A * B with double-buffered tiles; edges are filled with zeros.
#include <cuda_runtime.h>
#include <cstdio>

constexpr int T = 16;

struct Stage {
    float a[T][T + 1];
    float b[T][T + 1];
};

struct Matrix {
    int rows, cols;
    float *data;
    __host__ __device__ float get(int r, int c) const
    {
        return r < rows && c < cols ? data[(size_t)r * cols + c] : 0.0f;
    }
};

__global__ void __launch_bounds__(T * T) multiply(Matrix a, Matrix b, Matrix c)
{
    __shared__ Stage stage[2];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * T + ty;
    const int col = blockIdx.x * T + tx;
    const int steps = (a.cols + T - 1) / T;

    stage[0].a[ty][tx] = a.get(row, tx);
    stage[0].b[ty][tx] = b.get(ty, col);
    __syncthreads();

    float acc = 0.0f;
    for (int s = 0; s < steps; ++s) {
        Stage &now = stage[s & 1];
        Stage &then = stage[(s + 1) & 1];
        float na = 0.0f, nb = 0.0f;
        const bool more = s + 1 < steps;
        if (more) {
            na = a.get(row, (s + 1) * T + tx);
            nb = b.get((s + 1) * T + ty, col);
        }
#pragma unroll
        for (int k = 0; k < T; ++k)
            acc += now.a[ty][k] * now.b[k][tx];
        if (more) {
            then.a[ty][tx] = na;
            then.b[ty][tx] = nb;
        }
        __syncthreads();
    }
    if (row < c.rows && col < c.cols)
        c.data[(size_t)row * c.cols + col] = acc;
}

int matmul(const Matrix &a, const Matrix &b, const Matrix &c, cudaStream_t s)
{
    if (a.cols != b.rows || c.rows != a.rows || c.cols != b.cols)
        return -1;
    if (c.rows < 1 || c.cols < 1 || a.cols < 1 || a.cols > (1 << 30) || c.rows > 65535 * T)
        return -2;
    if (c.data == a.data || c.data == b.data)
        return -3;
    const dim3 grid((c.cols + T - 1) / T, (c.rows + T - 1) / T);
    multiply<<<grid, dim3(T, T), 0, s>>>(a, b, c);
    if (cudaGetLastError() != cudaSuccess) {
        std::fprintf(stderr, "matmul: launch failed\n");
        return -4;
    }
    return 0;
}
