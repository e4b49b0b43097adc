#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <stdexcept>

namespace cg = cooperative_groups;

// Layer normalisation of very long rows; a cluster of blocks takes one row.
constexpr unsigned kBlocksPerRow = 8;
constexpr unsigned kThreads = 512;

struct Stats {
    float sum;
    float sum_sq;
};

__device__ Stats operator+(Stats a, Stats b) { return {a.sum + b.sum, a.sum_sq + b.sum_sq}; }

__device__ Stats warp_reduce(Stats s)
{
    for (int d = 16; d; d >>= 1) {
        Stats o;
        o.sum = __shfl_xor_sync(0xffffffffu, s.sum, d);
        o.sum_sq = __shfl_xor_sync(0xffffffffu, s.sum_sq, d);
        s = s + o;
    }
    return s;
}

__global__ void __cluster_dims__(kBlocksPerRow, 1, 1) __launch_bounds__(kThreads)
layernorm(const float *x, float *y, const float *gain, int cols, float eps)
{
    __shared__ Stats warp_part[kThreads / 32];
    __shared__ Stats block_part;
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank();
    const size_t row = blockIdx.x / kBlocksPerRow;
    const float *src = x + row * cols;
    float *dst = y + row * cols;
    const int first = rank * kThreads + threadIdx.x;

    Stats s = {0.0f, 0.0f};
    for (int c = first; c < cols; c += kBlocksPerRow * kThreads)
        s = s + Stats{src[c], src[c] * src[c]};
    s = warp_reduce(s);
    if (threadIdx.x % 32 == 0)
        warp_part[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x < 32) {
        Stats t = threadIdx.x < kThreads / 32 ? warp_part[threadIdx.x] : Stats{0.0f, 0.0f};
        t = warp_reduce(t);
        if (threadIdx.x == 0)
            block_part = t;
    }
    cluster.sync();

    Stats all = {0.0f, 0.0f};
    for (unsigned b = 0; b < kBlocksPerRow; ++b)
        all = all + *cluster.map_shared_rank(&block_part, b);
    cluster.sync();

    const float mean = all.sum / cols;
    const float var = fmaxf(all.sum_sq / cols - mean * mean, 0.0f);
    const float inv = rsqrtf(var + eps);
    for (int c = first; c < cols; c += kBlocksPerRow * kThreads)
        dst[c] = (src[c] - mean) * inv * gain[c];
}

void layer_norm(const float *x, float *y, const float *gain, int rows, int cols, float eps,
                cudaStream_t s)
{
    if (rows < 0 || rows > (1 << 24) || cols < 1 || cols > (1 << 28) || !(eps > 0.0f))
        throw std::invalid_argument("layer_norm");
    if (rows == 0)
        return;
    layernorm<<<rows * kBlocksPerRow, kThreads, 0, s>>>(x, y, gain, cols, eps);
    if (cudaGetLastError() != cudaSuccess)
        throw std::runtime_error("layer_norm: launch");
}
