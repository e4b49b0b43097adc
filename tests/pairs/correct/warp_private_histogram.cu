// 256-bin histogram with one sub-histogram per warp (SDK histogram256 style).
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define BINS 256
#define WARPS 6
#define THREADS (WARPS * 32)
#define WORK_BARRIER __syncthreads();

static_assert(BINS % 4 == 0, "");

__device__ __forceinline__ void addWord(unsigned* h, uint32_t w)
{
    atomicAdd(h + (w & 255u), 1u);
    atomicAdd(h + ((w >> 8) & 255u), 1u);
    atomicAdd(h + ((w >> 16) & 255u), 1u);
    atomicAdd(h + (w >> 24), 1u);
}

__global__ void histogram256(unsigned* __restrict__ partial, const uint32_t* __restrict__ data, unsigned words)
{
    __shared__ unsigned s[WARPS * BINS];
    unsigned* mine = s + (threadIdx.x >> 5) * BINS;

    // Warp w clears exactly the slice it will use.
    for (unsigned i = threadIdx.x & 31; i < BINS; i += 32) mine[i] = 0u;
    __syncwarp();
    for (unsigned p = blockIdx.x * THREADS + threadIdx.x; p < words; p += THREADS * gridDim.x)
        addWord(mine, data[p]);
    WORK_BARRIER
    for (unsigned b = threadIdx.x; b < BINS; b += THREADS) {
        unsigned sum = 0;
        for (int w = 0; w < WARPS; ++w) sum += s[b + w * BINS];
        partial[blockIdx.x * BINS + b] = sum;
    }
}

__global__ void mergeHistogram256(unsigned* __restrict__ hist, const unsigned* __restrict__ partial, unsigned count)
{
    __shared__ unsigned d[256];
    unsigned sum = 0;
    for (unsigned i = threadIdx.x; i < count; i += 256) sum += partial[blockIdx.x + i * BINS];
    d[threadIdx.x] = sum;
    for (unsigned stride = 128; stride > 0; stride >>= 1) {
        WORK_BARRIER
        if (threadIdx.x < stride) d[threadIdx.x] += d[threadIdx.x + stride];
    }
    if (threadIdx.x == 0) hist[blockIdx.x] = d[0];
}

void histogram(unsigned* hist, unsigned* partial, unsigned partialCount, const void* data, size_t bytes)
{
    if (bytes % 4 != 0 || bytes == 0 || bytes > (1u << 30) || partialCount == 0 || partialCount > 1024) abort();
    histogram256<<<partialCount, THREADS>>>(partial, (const uint32_t*)data, (unsigned)(bytes / 4));
    mergeHistogram256<<<BINS, 256>>>(hist, partial, partialCount);
}

int main()
{
    unsigned *h, *p; void* d;
    cudaMalloc(&h, BINS * 4);
    cudaMalloc(&p, 240 * BINS * 4);
    cudaMalloc(&d, 1 << 20);
    cudaMemset(d, 7, 1 << 20);
    histogram(h, p, 240, d, 1 << 20);
    printf("%d\n", (int)cudaDeviceSynchronize());
    cudaFree(h); cudaFree(p); cudaFree(d);
    return 0;
}
