// Build for sm_90. A histogram with more bins than one block's share: the bins are
// spread over the shared memory of the blocks of a cluster.
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <stdexcept>

namespace cg = cooperative_groups;

__global__ void clusterHist(const unsigned* __restrict__ in, size_t n, int binsPerBlock, unsigned* __restrict__ bins)
{
    extern __shared__ unsigned mine[];
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank();
    const unsigned size = cluster.num_blocks();
    const unsigned total = size * binsPerBlock;

    for (int b = threadIdx.x; b < binsPerBlock; b += blockDim.x) mine[b] = 0;
    cluster.sync();         // everybody's bins are clear, and all blocks are running

    for (size_t i = cg::this_grid().thread_rank(); i < n; i += cg::this_grid().size()) {
        const unsigned v = in[i];
        const unsigned bin = v < total ? v : total - 1;
        unsigned* remote = cluster.map_shared_rank(mine, bin / binsPerBlock);
        atomicAdd(remote + bin % binsPerBlock, 1u);
    }
    cluster.sync();         // no more remote traffic: reading and leaving are both safe

    for (int b = threadIdx.x; b < binsPerBlock; b += blockDim.x) {
        const unsigned c = mine[b];
        if (c) atomicAdd(&bins[rank * binsPerBlock + b], c);
    }
}

void histogram(const unsigned* in, size_t n, int bins, unsigned* out, cudaStream_t s)
{
    constexpr int CLUSTER = 4;
    if (bins <= 0 || bins % CLUSTER != 0 || bins / CLUSTER > 12288) throw std::invalid_argument("bins");
    cudaMemsetAsync(out, 0, bins * sizeof(unsigned), s);
    cudaLaunchConfig_t cfg = {};
    cfg.gridDim = dim3(16 * CLUSTER);       // a multiple of the cluster size
    cfg.blockDim = dim3(256);
    cfg.dynamicSmemBytes = bins / CLUSTER * sizeof(unsigned);
    cfg.stream = s;
    cudaLaunchAttribute at[1];
    at[0].id = cudaLaunchAttributeClusterDimension;
    at[0].val.clusterDim.x = CLUSTER;
    at[0].val.clusterDim.y = 1;
    at[0].val.clusterDim.z = 1;
    cfg.attrs = at;
    cfg.numAttrs = 1;
    if (cudaLaunchKernelEx(&cfg, clusterHist, in, n, bins / CLUSTER, out) != cudaSuccess)
        throw std::runtime_error("clusterHist");
}
