// 256-bin histogram, one sub-histogram per warp in shared memory.
#include <cuda_runtime.h>
#include <cstdio>

#define LOG2_WARP_SIZE 5U
#define WARP_SIZE (1U << LOG2_WARP_SIZE)
#define WARP_COUNT 6
#define HIST_THREADS (WARP_COUNT * WARP_SIZE)
#define HIST_BINS 256
#define HIST_MEMORY (WARP_COUNT * HIST_BINS)
#define MERGE_THREADS 256
#define PARTIAL_COUNT 240

typedef unsigned int uint;
typedef unsigned char uchar;

// the upper five bits of a bin carry the lane of the last writer
#define TAG_SHIFT (32U - LOG2_WARP_SIZE)
#define TAG_MASK ((1U << TAG_SHIFT) - 1U)

__device__ __forceinline__ void addByte(volatile uint* warpHist, uint data, uint tag)
{
    (void)tag;
    atomicAdd((uint*)warpHist + data, 1U);
}

__device__ __forceinline__ void addWord(volatile uint* warpHist, uint data, uint tag)
{
    addByte(warpHist, (data >> 0) & 0xFFU, tag);
    addByte(warpHist, (data >> 8) & 0xFFU, tag);
    addByte(warpHist, (data >> 16) & 0xFFU, tag);
    addByte(warpHist, (data >> 24) & 0xFFU, tag);
}

__global__ void histogram256Kernel(uint* partial, const uint* __restrict__ data, uint dataCount)
{
    __shared__ uint hist[HIST_MEMORY];
    uint* warpHist = hist + (threadIdx.x >> LOG2_WARP_SIZE) * HIST_BINS;

#pragma unroll
    for (uint i = 0; i < HIST_MEMORY / HIST_THREADS; i++)
        hist[threadIdx.x + i * HIST_THREADS] = 0;

    const uint tag = threadIdx.x << TAG_SHIFT;
    __syncthreads();

    for (uint pos = blockIdx.x * blockDim.x + threadIdx.x; pos < dataCount;
         pos += blockDim.x * gridDim.x)
        addWord(warpHist, data[pos], tag);

    __syncthreads();

    for (uint bin = threadIdx.x; bin < HIST_BINS; bin += HIST_THREADS) {
        uint sum = 0;
        for (uint i = 0; i < WARP_COUNT; i++)
            sum += hist[bin + i * HIST_BINS] & TAG_MASK;
        partial[blockIdx.x * HIST_BINS + bin] = sum;
    }
}

__global__ void mergeHistogram256Kernel(uint* out, const uint* __restrict__ partial, uint count)
{
    __shared__ uint data[MERGE_THREADS];
    uint sum = 0;
    for (uint i = threadIdx.x; i < count; i += MERGE_THREADS)
        sum += partial[blockIdx.x + i * HIST_BINS];
    data[threadIdx.x] = sum;

    for (uint stride = MERGE_THREADS / 2; stride > 0; stride >>= 1) {
        __syncthreads();
        if (threadIdx.x < stride) data[threadIdx.x] += data[threadIdx.x + stride];
    }
    if (threadIdx.x == 0) out[blockIdx.x] = data[0];
}

static uint* d_Partial;

extern "C" void initHistogram256(void)
{
    cudaMalloc((void**)&d_Partial, PARTIAL_COUNT * HIST_BINS * sizeof(uint));
}

extern "C" void closeHistogram256(void) { cudaFree(d_Partial); }

extern "C" int histogram256(uint* d_Histogram, void* d_Data, uint byteCount)
{
    if (byteCount % sizeof(uint) != 0) return -1;
    histogram256Kernel<<<PARTIAL_COUNT, HIST_THREADS>>>(d_Partial, (const uint*)d_Data,
                                                        byteCount / sizeof(uint));
    mergeHistogram256Kernel<<<HIST_BINS, MERGE_THREADS>>>(d_Histogram, d_Partial, PARTIAL_COUNT);
    const cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess) fprintf(stderr, "histogram256: %s\n", cudaGetErrorString(e));
    return e == cudaSuccess ? 0 : -1;
}
