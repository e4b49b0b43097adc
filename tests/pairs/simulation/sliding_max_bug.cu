// Sliding-window maximum with a loader warp and named barriers. Build: nvcc -arch=sm_80
#include <cuda_runtime.h>
#include <algorithm>
#include <cfloat>
#include <cstdio>

namespace window {

enum : int { LOADERS = 32, WORKERS = 96, THREADS = LOADERS + WORKERS };
enum : int { BAR_FULL = 1, BAR_EMPTY = 3 };
constexpr int kMaxWindow = 33;
constexpr int kChunk = WORKERS + kMaxWindow - 1;

__device__ __forceinline__ void barSync(int id)
{
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(int(THREADS)) : "memory");
}

__device__ __forceinline__ void barArrive(int id)
{
    __threadfence_block();
    asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(int(THREADS)) : "memory");
}

struct TileRange {
    int first, step, count;
    __device__ bool more(int t) const { return t < count; }
    __device__ bool reused(int t) const { return t + 2 * step < count; }
};

__device__ void loaderWarp(float (*buf)[kChunk], const float* __restrict__ x, int n, int window,
                           TileRange r)
{
    const int need = WORKERS + window - 1;
    for (int t = r.first, k = 0; r.more(t); t += r.step, ++k) {
        const int b = k & 1;
        if (k >= 2)
            barSync(BAR_EMPTY + b);
        for (int j = threadIdx.x; j < need; j += LOADERS) {
            const int g = t * WORKERS + j;
            buf[b][j] = g < n ? x[g] : -FLT_MAX;
        }
        barArrive(BAR_FULL + b);
    }
}

__device__ void workerWarps(float (*buf)[kChunk], float* __restrict__ y, int n, int window,
                            TileRange r)
{
    const int w = threadIdx.x - LOADERS;
    for (int t = r.first, k = 0; r.more(t); t += r.step, ++k) {
        const int b = k & 1;
        barSync(BAR_FULL + b);
        if (r.reused(t))
            barArrive(BAR_EMPTY + b);
        float m = -FLT_MAX;
        for (int j = 0; j < window; ++j)
            m = fmaxf(m, buf[b][w + j]);
        const int g = t * WORKERS + w;
        if (g < n)
            y[g] = m;
    }
}

__global__ void __launch_bounds__(THREADS)
slidingMax(const float* __restrict__ x, float* __restrict__ y, int n, int window)
{
    __shared__ float s_buf[2][kChunk];
    const TileRange r{int(blockIdx.x), int(gridDim.x), (n + WORKERS - 1) / WORKERS};
    if (threadIdx.x < LOADERS)
        loaderWarp(s_buf, x, n, window, r);
    else
        workerWarps(s_buf, y, n, window, r);
}

cudaError_t slidingMaximum(const float* x, float* y, int n, int window, cudaStream_t s)
{
    if (window < 1 || window > kMaxWindow)
        return cudaErrorInvalidValue;
    if (n <= 0)
        return cudaSuccess;
    int dev = 0, sms = 0;
    cudaError_t e = cudaGetDevice(&dev);
    if (e == cudaSuccess)
        e = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
    if (e != cudaSuccess)
        return e;
    const int tiles = (n + WORKERS - 1) / WORKERS;
    slidingMax<<<std::min(tiles, 4 * sms), THREADS, 0, s>>>(x, y, n, window);
    return cudaGetLastError();
}

} // namespace window
