#include <cuda_runtime.h>
#include <cstddef>
#include <stdexcept>

// Sparse histogram with many bins: equal keys of a warp are combined first.
__global__ void count_keys(const unsigned *keys, size_t n, unsigned *bins, unsigned num_bins)
{
    const unsigned lane = threadIdx.x & 31u;
    const size_t step = (size_t)gridDim.x * blockDim.x;
    const size_t first = (size_t)blockIdx.x * blockDim.x + (threadIdx.x - lane);

    for (size_t base = first; base < n; base += step) {
        const size_t i = base + lane;
        const unsigned key = i < n ? keys[i] : num_bins;
        const unsigned usable = __ballot_sync(0xffffffffu, key < num_bins);
        if (key < num_bins) {
            const unsigned peers = __match_any_sync(usable, key);
            const int leader = __ffs(peers) - 1;
            if ((int)lane == leader)
                atomicAdd(&bins[key], (unsigned)__popc(peers));
        }
        __syncwarp();
    }
}

// Sum of the weights of equal keys, formed by the leader of each group of peers.
__global__ void weigh_keys(const unsigned *keys, const float *weight, int n, float *bins,
                           unsigned num_bins)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x & 31;
    const bool ok = i < n && keys[i] < num_bins;
    const unsigned usable = __ballot_sync(0xffffffffu, ok);
    if (!ok)
        return;
    const unsigned key = keys[i];
    const float w = weight[i];
    unsigned peers = __match_any_sync(usable, key);
    float total = 0.0f;
    for (unsigned rest = peers; rest; rest &= rest - 1)
        total += __shfl_sync(peers, w, __ffs(rest) - 1);
    if (lane == __ffs(peers) - 1)
        atomicAdd(bins + key, total);
}

void histogram(const unsigned *keys, const float *weight, int n, unsigned *counts, float *weights,
               unsigned num_bins, cudaStream_t stream)
{
    if (n < 0 || num_bins == 0)
        throw std::invalid_argument("histogram");
    cudaMemsetAsync(counts, 0, num_bins * sizeof(unsigned), stream);
    cudaMemsetAsync(weights, 0, num_bins * sizeof(float), stream);
    if (n == 0)
        return;
    const int block = 256;
    const int grid = (n - 1) / block + 1;
    count_keys<<<grid < 1024 ? grid : 1024, block, 0, stream>>>(keys, n, counts, num_bins);
    weigh_keys<<<grid, block, 0, stream>>>(keys, weight, n, weights, num_bins);
    if (cudaGetLastError() != cudaSuccess)
        throw std::runtime_error("histogram launch");
}
