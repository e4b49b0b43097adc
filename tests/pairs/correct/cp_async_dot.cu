#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <cstdint>
#include <stdexcept>

// Sliding correlation: out[i] = sum_k x[i + k] * h[k], stages copied asynchronously.
constexpr int kThreads = 128;
constexpr int kTile = 512;
constexpr int kTaps = 64;
constexpr int kSpan = kTile + kTaps;
constexpr int kStages = 2;

__device__ void fetch(float *dst, const float *x, int tile)
{
    const float *src = x + (size_t)tile * kTile;
    for (int k = threadIdx.x * 4; k < kSpan; k += kThreads * 4)
        __pipeline_memcpy_async(dst + k, src + k, sizeof(float4));
}

__global__ void __launch_bounds__(kThreads)
correlate(const float *x, const float *h, float *out, int tiles)
{
    __shared__ __align__(16) float stage[kStages][kSpan];
    __shared__ float taps[kTaps];

    if (threadIdx.x < kTaps)
        taps[threadIdx.x] = h[threadIdx.x];

    int tile = blockIdx.x;
    if (tile < tiles)
        fetch(stage[0], x, tile);
    __pipeline_commit();

    for (int round = 0; tile < tiles; ++round, tile += gridDim.x) {
        const int next = tile + gridDim.x;
        if (next < tiles)
            fetch(stage[(round + 1) % kStages], x, next);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();

        const float *s = stage[round % kStages];
        for (int i = threadIdx.x; i < kTile; i += kThreads) {
            float acc = 0.0f;
#pragma unroll 8
            for (int k = 0; k < kTaps; ++k)
                acc += s[i + k] * taps[k];
            out[(size_t)tile * kTile + i] = acc;
        }
        __syncthreads();
    }
    __pipeline_wait_prior(0);
}

// x holds padded_input_size(n) floats, zero beyond n; out holds a whole number of tiles.
size_t padded_input_size(int n)
{
    return (size_t)(n + kTile - 1) / kTile * kTile + kTaps;
}

void run_correlate(const float *x, const float *h, float *out, int n, cudaStream_t s)
{
    if (n < 1 || n > (1 << 30) || reinterpret_cast<uintptr_t>(x) % 16 != 0)
        throw std::invalid_argument("run_correlate");
    const int tiles = (n + kTile - 1) / kTile;
    correlate<<<tiles < 864 ? tiles : 864, kThreads, 0, s>>>(x, h, out, tiles);
    if (cudaGetLastError() != cudaSuccess)
        throw std::runtime_error("run_correlate: launch");
}
