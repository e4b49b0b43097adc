#include <cuda_runtime.h>
#include <cstdio>

#define ROWS_PER_WARP 64

/* Deterministic column sums of a tall matrix: chunk partials, combined by the last warp
   of each strip of 32 columns. `left` holds one counter per strip. */
__global__ void fill_counters(unsigned *left, int strips, unsigned chunks)
{
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s < strips)
        left[s] = chunks;
}

__global__ void column_sums(const float *m, int rows, int cols, int strips, int chunks,
                            float *partial, unsigned *left, float *sums)
{
    const int lane = threadIdx.x & 31;
    const int w = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (w >= strips * chunks)
        return;
    const int strip = w % strips;
    const int chunk = w / strips;
    const int col = strip * 32 + lane;

    const int r0 = chunk * ROWS_PER_WARP;
    const int r1 = min(r0 + ROWS_PER_WARP, rows);
    float s = 0.0f;
    if (col < cols)
        for (int r = r0; r < r1; ++r)
            s += m[(size_t)r * cols + col];

    __stcg(&partial[(size_t)w * 32 + lane], s);
    __threadfence();
    __syncwarp();
    unsigned old = 0;
    if (lane == 0) {
        __threadfence();
        old = atomicSub(&left[strip], 1u);
        __threadfence();
    }
    old = __shfl_sync(0xffffffffu, old, 0);
    if (old != 1)
        return;
    __syncwarp();

    float total = 0.0f;
    for (int c = 0; c < chunks; ++c)
        total += __ldcg(&partial[((size_t)c * strips + strip) * 32 + lane]);
    if (col < cols)
        sums[col] = total;
    if (lane == 0)
        atomicExch(&left[strip], (unsigned)chunks);  // ready for another launch of the same shape
}

int sum_columns(const float *m, int rows, int cols, float *partial, unsigned *left, float *sums,
                int repeats, cudaStream_t s)
{
    if (rows < 1 || cols < 1 || repeats < 1 || cols > (1 << 20) || rows > (1 << 26))
        return -1;
    const int strips = (cols + 31) / 32;
    const int chunks = (rows + ROWS_PER_WARP - 1) / ROWS_PER_WARP;
    if ((long long)strips * chunks > (1 << 25))
        return -2;
    fill_counters<<<(strips + 127) / 128, 128, 0, s>>>(left, strips, chunks);
    const int grid = (strips * chunks + 3) / 4;
    for (int k = 0; k < repeats; ++k)
        column_sums<<<grid, 128, 0, s>>>(m, rows, cols, strips, chunks, partial, left,
                                         sums + (size_t)k * cols);
    const cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess)
        fprintf(stderr, "sum_columns: %s\n", cudaGetErrorString(e));
    return e == cudaSuccess ? 0 : -3;
}
