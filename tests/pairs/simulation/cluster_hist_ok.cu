// Histogram with bins spread over a thread block cluster. Build: nvcc -arch=sm_90
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdint>
#include <cstdio>

namespace cg = cooperative_groups;

namespace dhist {

constexpr int kThreads = 256;
constexpr int kCluster = 4;

struct BinMap {
    int bins;
    int perBlock;
    float lo, invWidth;

    __device__ int binOf(float v) const
    {
        const int b = int(floorf((v - lo) * invWidth));
        return min(max(b, 0), bins - 1);
    }
    __device__ int owner(int bin) const { return bin / perBlock; }
    __device__ int slot(int bin) const { return bin % perBlock; }
};

__device__ void clearBins(unsigned* bins, int count, const cg::thread_block& block)
{
    for (int i = block.thread_rank(); i < count; i += block.size())
        bins[i] = 0u;
}

__device__ void flushBins(const unsigned* bins, const BinMap& map, unsigned rank,
                          unsigned long long* __restrict__ out)
{
    for (int i = threadIdx.x; i < map.perBlock; i += kThreads) {
        const int bin = int(rank) * map.perBlock + i;
        if (bin < map.bins && bins[i] != 0u)
            atomicAdd(&out[bin], (unsigned long long)bins[i]);
    }
}

__global__ void __cluster_dims__(kCluster, 1, 1) __launch_bounds__(kThreads)
clusterHistogram(const float* __restrict__ x, size_t n, BinMap map,
                 unsigned long long* __restrict__ out)
{
    extern __shared__ unsigned s_bins[];
    cg::cluster_group cluster = cg::this_cluster();
    cg::thread_block block = cg::this_thread_block();

    clearBins(s_bins, map.perBlock, block);
    cluster.sync();

    const size_t stride = size_t(gridDim.x) * kThreads;
    for (size_t i = size_t(blockIdx.x) * kThreads + threadIdx.x; i < n; i += stride) {
        const int bin = map.binOf(x[i]);
        unsigned* remote = cluster.map_shared_rank(s_bins, map.owner(bin));
        atomicAdd(remote + map.slot(bin), 1u);
    }
    cluster.sync();
    flushBins(s_bins, map, cluster.block_rank(), out);
}

cudaError_t histogram(const float* x, size_t n, int bins, float lo, float hi,
                      unsigned long long* out, cudaStream_t s)
{
    if (bins < 1 || bins > 40000 || !(hi > lo))
        return cudaErrorInvalidValue;
    cudaError_t e = cudaMemsetAsync(out, 0, size_t(bins) * sizeof(*out), s);
    if (e != cudaSuccess || n == 0)
        return e;
    BinMap map;
    map.bins = bins;
    map.perBlock = (bins + kCluster - 1) / kCluster;
    map.lo = lo;
    map.invWidth = bins / (hi - lo);

    const size_t blocks = (n + size_t(kThreads) * 16 - 1) / (size_t(kThreads) * 16);
    int grid = int(std::min<size_t>(blocks, 512));
    grid = (grid + kCluster - 1) / kCluster * kCluster;
    const size_t bytes = size_t(map.perBlock) * sizeof(unsigned);
    clusterHistogram<<<grid, kThreads, bytes, s>>>(x, n, map, out);
    return cudaGetLastError();
}

} // namespace dhist
