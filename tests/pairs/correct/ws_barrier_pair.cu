// Warp specialisation with cuda::barrier: one loader warp, three worker warps, two stages.
#include <cstdio>
#include <cuda/barrier>
#include <cuda_runtime.h>

#pragma nv_diag_suppress static_var_with_dynamic_init

using bar_t = cuda::barrier<cuda::thread_scope_block>;
constexpr int STAGES = 2;
constexpr int LOADERS = 32;
constexpr int WORKERS = 96;
constexpr int TILE = 192;
static_assert(TILE % LOADERS == 0 && TILE % WORKERS == 0, "tile must split evenly");

__device__ void loader(bar_t *full, bar_t *empty, float (*buf)[TILE], const float *src, int tiles)
{
    const int lane = threadIdx.x % 32;
    for (int k = 0; k < tiles; ++k) {
        const int s = k % STAGES;
        empty[s].arrive_and_wait(); // 96 workers have released it, 32 loaders want it
        for (int i = lane; i < TILE; i += LOADERS)
            buf[s][i] = src[(size_t)k * TILE + i];
        (void)full[s].arrive();
    }
}

__device__ float worker(bar_t *full, bar_t *empty, float (*buf)[TILE], int tiles)
{
    const int t = threadIdx.x - LOADERS;
    for (int s = 0; s < STAGES; ++s)
        (void)empty[s].arrive(); // both stages start empty
    float acc = 0.0f;
    for (int k = 0; k < tiles; ++k) {
        const int s = k % STAGES;
        full[s].arrive_and_wait();
        for (int i = t; i < TILE; i += WORKERS)
            acc += buf[s][i] * buf[s][TILE - 1 - i];
        (void)empty[s].arrive();
    }
    return acc;
}

__global__ void __launch_bounds__(LOADERS + WORKERS) autocorr(const float *__restrict__ in, float *out, int tiles)
{
    __shared__ bar_t full[STAGES], empty[STAGES];
    __shared__ float buf[STAGES][TILE];
    __shared__ float total;
    if (threadIdx.x < STAGES) {
        init(&full[threadIdx.x], LOADERS + WORKERS);
        init(&empty[threadIdx.x], LOADERS + WORKERS);
    }
    if (threadIdx.x == STAGES)
        total = 0.0f;
    __syncthreads();
    if (threadIdx.x < LOADERS)
        loader(full, empty, buf, in + (size_t)blockIdx.x * tiles * TILE, tiles);
    else
        atomicAdd(&total, worker(full, empty, buf, tiles));
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = total;
}

int main()
{
    const int blocks = 80, tiles = 21;
    const size_t n = (size_t)blocks * tiles * TILE;
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, blocks * sizeof(float));
    cudaMemset(in, 0, n * sizeof(float));
    autocorr<<<blocks, LOADERS + WORKERS>>>(in, out, tiles);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(in);
    cudaFree(out);
    return 0;
}
