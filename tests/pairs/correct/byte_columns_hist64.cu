/*
 * 64-bin histogram with one byte counter per thread and bin in shared memory
 * (the layout of the CUDA SDK histogram64 sample, without the bank shuffle).
 */
#include <cuda_runtime.h>
#include <assert.h>

typedef unsigned char uchar;
typedef unsigned int uint;

#define HIST_BINS      64
#define BLOCK_THREADS  64
#define MAX_PER_THREAD 252     /* multiple of 4, a byte must not overflow */

__device__ inline void addByte(uchar *column, uint data)
{
    column[data * BLOCK_THREADS]++;
}

__device__ inline void addWord(uchar *column, uint data)
{
    addByte(column, (data >> 2) & 0x3FU);
    addByte(column, (data >> 10) & 0x3FU);
    addByte(column, (data >> 18) & 0x3FU);
    addByte(column, (data >> 26) & 0x3FU);
}

__global__ void histogram64Kernel(uint *partial, const uint *data, uint words)
{
    __shared__ __align__(4) uchar s_Hist[BLOCK_THREADS * HIST_BINS];

    for (uint i = 0; i < HIST_BINS / 4; i++)
        ((uint *)s_Hist)[threadIdx.x + i * BLOCK_THREADS] = 0;
    __syncthreads();

    uchar *column = s_Hist + threadIdx.x;
    const uint perBlock = BLOCK_THREADS * (MAX_PER_THREAD / 4);
    const uint begin = blockIdx.x * perBlock;
    const uint end = min(begin + perBlock, words);
    for (uint pos = begin + threadIdx.x; pos < end; pos += BLOCK_THREADS)
        addWord(column, data[pos]);
    __syncthreads();

    if (threadIdx.x < HIST_BINS) {
        const uchar *row = s_Hist + threadIdx.x * BLOCK_THREADS;
        uint sum = 0;
        for (uint i = 0, pos = threadIdx.x & 63; i < BLOCK_THREADS; i++, pos = (pos + 1) & 63)
            sum += row[pos];
        partial[blockIdx.x * HIST_BINS + threadIdx.x] = sum;
    }
}

__global__ void mergeHistogram64Kernel(uint *hist, const uint *partial, uint count)
{
    __shared__ uint s[256];
    uint sum = 0;
    for (uint i = threadIdx.x; i < count; i += 256)
        sum += partial[blockIdx.x + i * HIST_BINS];
    s[threadIdx.x] = sum;
    for (uint stride = 128; stride > 0; stride >>= 1) {
        __syncthreads();
        if (threadIdx.x < stride)
            s[threadIdx.x] += s[threadIdx.x + stride];
    }
    if (threadIdx.x == 0)
        hist[blockIdx.x] = s[0];
}

extern "C" void histogram64(uint *d_Histogram, const void *d_Data, uint byteCount)
{
    assert(byteCount % sizeof(uint) == 0);
    const uint words = byteCount / sizeof(uint);
    const uint perBlock = BLOCK_THREADS * (MAX_PER_THREAD / 4);
    const uint blocks = (words + perBlock - 1) / perBlock;
    uint *d_Partial;
    cudaMalloc((void **)&d_Partial, blocks * HIST_BINS * sizeof(uint));
    histogram64Kernel<<<blocks, BLOCK_THREADS>>>(d_Partial, (const uint *)d_Data, words);
    mergeHistogram64Kernel<<<HIST_BINS, 256>>>(d_Histogram, d_Partial, blocks);
    cudaFree(d_Partial);
}
