// needs -arch=sm_90: histogram whose bins are spread over the blocks of a cluster
#include <cstdio>
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;
constexpr int CLUSTER = 4;
constexpr int BLOCK = 256;
constexpr int BINS = 8192;
constexpr int LOCAL = BINS / CLUSTER;

__global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(BLOCK)
hist_cluster(const unsigned *__restrict__ key, int n, unsigned *bins)
{
    __shared__ unsigned local[LOCAL];
    cg::cluster_group cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < LOCAL; i += BLOCK)
        local[i] = 0;
    cluster.sync(); // all parts are zero, and all blocks are running

    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) {
        const unsigned b = key[i] % BINS;
        unsigned *remote = cluster.map_shared_rank(local, b / LOCAL);
        atomicAdd(remote + b % LOCAL, 1u);
    }
    cluster.sync(); // nobody touches our part any more

    const unsigned base = cluster.block_rank() * LOCAL;
    for (int i = threadIdx.x; i < LOCAL; i += BLOCK) {
        const unsigned v = local[i];
        if (v)
            atomicAdd(&bins[base + i], v);
    }
}

int main()
{
    const int n = 1 << 22;
    unsigned *key, *bins;
    cudaMalloc(&key, n * sizeof(unsigned));
    cudaMalloc(&bins, BINS * sizeof(unsigned));
    cudaMemset(key, 0x5a, n * sizeof(unsigned));
    cudaMemset(bins, 0, BINS * sizeof(unsigned));
    const int grid = 16 * CLUSTER;
    hist_cluster<<<grid, BLOCK>>>(key, n, bins);
    unsigned h[4];
    cudaMemcpy(h, bins, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%u %s\n", h[0], cudaGetErrorString(cudaGetLastError()));
    cudaFree(key);
    cudaFree(bins);
    return 0;
}
