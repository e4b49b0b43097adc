// sm_90: histogram whose bins are spread over the shared memory of a 4-block cluster.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

constexpr int CLUSTER = 4;
constexpr int LOCAL   = 2048;

__global__ void __cluster_dims__(CLUSTER, 1, 1)
wide_histogram(const unsigned short* __restrict__ v, int n, unsigned* __restrict__ bins)
{
    __shared__ unsigned part[LOCAL];
    cg::cluster_group cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < LOCAL; i += blockDim.x) part[i] = 0;
    cluster.sync();

    const int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        const unsigned b = v[i];
        if (b < CLUSTER * LOCAL) {
            unsigned* remote = cluster.map_shared_rank(part, b / LOCAL);
            atomicAdd(&remote[b % LOCAL], 1u);
        }
    }
    cluster.sync();          // all remote additions are in

    const unsigned base = cluster.block_rank() * LOCAL;
    for (int i = threadIdx.x; i < LOCAL; i += blockDim.x)
        if (part[i]) atomicAdd(&bins[base + i], part[i]);
}

cudaError_t histogram8k(const unsigned short* v, int n, unsigned* bins, cudaStream_t s)
{
    if (n > (1 << 30)) return cudaErrorInvalidValue;
    cudaMemsetAsync(bins, 0, CLUSTER * LOCAL * sizeof(unsigned), s);
    if (n <= 0) return cudaSuccess;
    int blocks = (n + 1023) / 1024;
    if (blocks > 128) blocks = 128;
    blocks = (blocks + CLUSTER - 1) / CLUSTER * CLUSTER;
    wide_histogram<<<blocks, 256, 0, s>>>(v, n, bins);
    return cudaGetLastError();
}
