// In-place transposition of a square matrix whose order need not be a multiple of 32.
#include <cuda_runtime.h>
#include <cstdio>

#define TILE 32
#define ROWS 8

template <typename T>
__global__ void transpose_square(T *m, int n)
{
    __shared__ T upper[TILE][TILE + 1];
    __shared__ T lower[TILE][TILE + 1];

    const int bx = blockIdx.x, by = blockIdx.y;
    if (bx < by)
        return;  // the block (by, bx) takes care of both

    const int ux = bx * TILE + threadIdx.x;
    const int lx = by * TILE + threadIdx.x;

    for (int r = threadIdx.y; r < TILE; r += ROWS) {
        const int uy = by * TILE + r;
        if (ux < n && uy < n)
            upper[r][threadIdx.x] = m[(size_t)uy * n + ux];
    }
    if (bx != by) {
        for (int r = threadIdx.y; r < TILE; r += ROWS) {
            const int ly = bx * TILE + r;
            if (lx < n && ly < n)
                lower[r][threadIdx.x] = m[(size_t)ly * n + lx];
        }
    }
    __syncthreads();

    for (int r = threadIdx.y; r < TILE; r += ROWS) {
        const int ly = bx * TILE + r;
        if (lx < n && ly < n)
            m[(size_t)ly * n + lx] = upper[threadIdx.x][r];
        if (bx != by) {
            const int uy = by * TILE + r;
            if (ux < n && uy < n)
                m[(size_t)uy * n + ux] = lower[threadIdx.x][r];
        }
    }
}

template <typename T>
cudaError_t transpose(T *m, int n, cudaStream_t stream)
{
    if (n < 0 || n > 65535 * TILE || (n > 0 && m == nullptr))
        return cudaErrorInvalidValue;
    if (n == 0)
        return cudaSuccess;
    const int tiles = (n + TILE - 1) / TILE;
    transpose_square<T><<<dim3(tiles, tiles), dim3(TILE, ROWS), 0, stream>>>(m, n);
    return cudaGetLastError();
}

template cudaError_t transpose<float>(float *, int, cudaStream_t);
template cudaError_t transpose<double>(double *, int, cudaStream_t);
