// Polynomial filter of a signal; warps 0-1 load the next tile while warps 2-7 compute.
#include <cuda_runtime.h>
#include <algorithm>

namespace {

constexpr int kTile = 768;
constexpr int kRadius = 4;
constexpr int kSpan = kTile + 2 * kRadius;
constexpr int kLoaders = 64;
constexpr int kWorkers = 192;

struct Taps {
    float w[2 * kRadius + 1];
};

__device__ void load_tile(const float *in, int n, int tile, float *dst)
{
    const int origin = tile * kTile - kRadius;
    for (int k = threadIdx.x; k < kSpan; k += kLoaders) {
        const int i = min(max(origin + k, 0), n - 1);
        dst[k] = in[i];
    }
}

__global__ void __launch_bounds__(kLoaders + kWorkers)
filter(const float *in, float *out, int n, Taps taps)
{
    __shared__ float stage[2][kSpan];
    const int tiles = (n + kTile - 1) / kTile;
    const bool loader = threadIdx.x < kLoaders;

    if (loader && blockIdx.x < tiles)
        load_tile(in, n, blockIdx.x, stage[0]);
    __syncthreads();

    int slot = 0;
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        if (loader) {
            const int next = tile + gridDim.x;
            if (next < tiles)
                load_tile(in, n, next, stage[slot ^ 1]);
        } else {
            const float *s = stage[slot];
            for (int k = threadIdx.x - kLoaders; k < kTile; k += kWorkers) {
                const int i = tile * kTile + k;
                if (i >= n)
                    break;
                float acc = 0.0f;
#pragma unroll
                for (int t = 0; t <= 2 * kRadius; ++t)
                    acc += taps.w[t] * s[k + t];
                out[i] = acc;
            }
        }
        slot ^= 1;
        __syncthreads();
    }
}

}  // namespace

cudaError_t fir_filter(const float *in, float *out, int n, const float *taps, cudaStream_t stream)
{
    if (n < 0 || n > (1 << 30) || !taps || in == out)
        return cudaErrorInvalidValue;
    if (n == 0)
        return cudaSuccess;
    Taps t;
    std::copy(taps, taps + 2 * kRadius + 1, t.w);
    const int tiles = (n + kTile - 1) / kTile;
    filter<<<std::min(tiles, 432), kLoaders + kWorkers, 0, stream>>>(in, out, n, t);
    return cudaGetLastError();
}
