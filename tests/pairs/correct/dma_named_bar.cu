// Warp-specialised staging in the manner of CudaDMA: one DMA warp, four compute warps.
#include <cstdio>
#include <cuda_runtime.h>

constexpr int DMA_THREADS = 32;
constexpr int COMPUTE_THREADS = 128;
constexpr int TOTAL = DMA_THREADS + COMPUTE_THREADS;
constexpr int CHUNK = 256;

template <int ID> __device__ __forceinline__ void bar_sync()
{
    asm volatile("bar.sync %0, %1;" ::"n"(ID), "n"(TOTAL) : "memory");
}
template <int ID> __device__ __forceinline__ void bar_arrive()
{
    asm volatile("bar.arrive %0, %1;" ::"n"(ID), "n"(TOTAL) : "memory");
}

struct Channel {
    enum { EMPTY0 = 1, FULL0 = 2, EMPTY1 = 3, FULL1 = 4 };
};

__device__ __forceinline__ void fill(float *dst, const float *src, int count, int lane)
{
    for (int i = lane; i < CHUNK; i += DMA_THREADS)
        dst[i] = i < count ? src[i] : 0.0f;
}

__global__ void __launch_bounds__(TOTAL) polyval(const float *__restrict__ coef, int ncoef,
                                                 const float *__restrict__ x, float *__restrict__ y, int n)
{
    __shared__ float buf[2][CHUNK];
    const int pairs = (ncoef + 2 * CHUNK - 1) / (2 * CHUNK);

    if (threadIdx.x >= COMPUTE_THREADS) {
        const int lane = threadIdx.x - COMPUTE_THREADS;
        for (int p = 0; p < pairs; ++p) {
            const int at = p * 2 * CHUNK;
            bar_sync<Channel::EMPTY0>();
            fill(buf[0], coef + at, ncoef - at, lane);
            bar_arrive<Channel::FULL0>();
            bar_sync<Channel::EMPTY1>();
            fill(buf[1], coef + at + CHUNK, ncoef - at - CHUNK, lane);
            bar_arrive<Channel::FULL1>();
        }
    } else {
        const int i = blockIdx.x * COMPUTE_THREADS + threadIdx.x;
        const float xv = i < n ? x[i] : 0.0f;
        float acc = 0.0f;
        bar_arrive<Channel::EMPTY0>();
        bar_arrive<Channel::EMPTY1>();
        for (int p = 0; p < pairs; ++p) {
            const bool more = p + 1 < pairs;
            bar_sync<Channel::FULL0>();
            for (int k = 0; k < CHUNK; ++k)
                acc = acc * xv + buf[0][k];
            if (more)
                bar_arrive<Channel::EMPTY0>();
            bar_sync<Channel::FULL1>();
            for (int k = 0; k < CHUNK; ++k)
                acc = acc * xv + buf[1][k];
            if (more)
                bar_arrive<Channel::EMPTY1>();
        }
        if (i < n)
            y[i] = acc;
    }
}

int main()
{
    const int n = 5000, ncoef = 1300;
    float *c, *x, *y;
    cudaMalloc(&c, ncoef * sizeof(float));
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    cudaMemset(c, 0, ncoef * sizeof(float));
    cudaMemset(x, 0, n * sizeof(float));
    polyval<<<(n + COMPUTE_THREADS - 1) / COMPUTE_THREADS, TOTAL>>>(c, ncoef, x, y, n);
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(e));
    return e != cudaSuccess;
}
