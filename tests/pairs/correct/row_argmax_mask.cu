#include <cuda_runtime.h>
#include <float.h>
#include <stdio.h>

#define LANES_PER_ROW 8
#define BLOCK 256

/* Index of the largest entry of every row of a dense row-major matrix. */
__global__ void row_argmax(const float *m, int rows, int cols, int ld, int *best_col)
{
    const unsigned lane = threadIdx.x & 31u;
    const unsigned octet = 0xffu << (lane & ~7u);
    const int sub = threadIdx.x % LANES_PER_ROW;
    const int row = (blockIdx.x * BLOCK + threadIdx.x) / LANES_PER_ROW;

    if (row >= rows)
        return;

    const float *p = m + (size_t)row * ld;
    float v = -FLT_MAX;
    int c = cols;
    for (int j = sub; j < cols; j += LANES_PER_ROW) {
        const float w = p[j];
        if (c == cols || w > v) {
            v = w;
            c = j;
        }
    }

    for (int d = LANES_PER_ROW / 2; d >= 1; d /= 2) {
        const float ov = __shfl_xor_sync(octet, v, d, LANES_PER_ROW);
        const int oc = __shfl_xor_sync(octet, c, d, LANES_PER_ROW);
        if (ov > v || (ov == v && oc < c)) {
            v = ov;
            c = oc;
        }
    }
    if (sub == 0)
        best_col[row] = c;
}

int launch_row_argmax(const float *m, int rows, int cols, int ld, int *best_col)
{
    if (!m || !best_col || rows <= 0 || cols <= 0 || ld < cols)
        return -1;
    if (rows > (1 << 26))
        return -2;
    const int threads = rows * LANES_PER_ROW;
    const int grid = (threads + BLOCK - 1) / BLOCK;
    row_argmax<<<grid, BLOCK>>>(m, rows, cols, ld, best_col);
    cudaError_t err = cudaGetLastError();
    if (err != cudaSuccess) {
        fprintf(stderr, "row_argmax: %s\n", cudaGetErrorString(err));
        return -3;
    }
    return 0;
}
