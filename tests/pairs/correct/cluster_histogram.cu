#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <cstdio>

namespace cg = cooperative_groups;

constexpr int kCluster = 4;
constexpr int kBinsPerBlock = 1024;
constexpr int kBins = kCluster * kBinsPerBlock;
constexpr int kThreads = 256;

__global__ void __cluster_dims__(kCluster, 1, 1) __launch_bounds__(kThreads)
histogram(const unsigned short *data, int n, unsigned *bins)
{
    __shared__ unsigned mine[kBinsPerBlock];
    cg::cluster_group cluster = cg::this_cluster();

    for (int b = threadIdx.x; b < kBinsPerBlock; b += kThreads)
        mine[b] = 0;
    cluster.sync();

    for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads) {
        const unsigned bin = data[i] & (kBins - 1);
        unsigned *owner = cluster.map_shared_rank(mine, bin / kBinsPerBlock);
        atomicAdd(owner + bin % kBinsPerBlock, 1u);
    }
    cluster.sync();

    unsigned *dst = bins + cluster.block_rank() * kBinsPerBlock;
    for (int b = threadIdx.x; b < kBinsPerBlock; b += kThreads)
        if (mine[b] != 0)
            atomicAdd(dst + b, mine[b]);
}

int histogram_4096(const unsigned short *data, int n, unsigned *bins, cudaStream_t s)
{
    if (n < 0 || n > (1 << 30) || data == nullptr || bins == nullptr)
        return -1;
    if (cudaMemsetAsync(bins, 0, kBins * sizeof(unsigned), s) != cudaSuccess)
        return -2;
    if (n == 0)
        return 0;
    int grid = (n + kThreads * 16 - 1) / (kThreads * 16);
    grid = (grid + kCluster - 1) / kCluster * kCluster;
    if (grid > 512)
        grid = 512;
    histogram<<<grid, kThreads, 0, s>>>(data, n, bins);
    const cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess)
        std::fprintf(stderr, "histogram_4096: %s\n", cudaGetErrorString(e));
    return e == cudaSuccess ? 0 : -3;
}
