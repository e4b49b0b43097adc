// Histogram distributed over the shared memory of a thread-block cluster.
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <algorithm>

namespace cg = cooperative_groups;

__global__ void cluster_histogram(int* __restrict__ bins, int nbins, int bins_per_block, const int* __restrict__ input, size_t n) {
  extern __shared__ int smem[];
  cg::cluster_group cluster = cg::this_cluster();
  const int rank = cluster.block_rank();
  for (int i = threadIdx.x; i < bins_per_block; i += blockDim.x) smem[i] = 0;
  cluster.sync();

  const size_t stride = size_t(gridDim.x) * blockDim.x;
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) {
    const int b = min(max(input[i], 0), nbins - 1);
    int* remote = cluster.map_shared_rank(smem, b / bins_per_block);
    atomicAdd(remote + b % bins_per_block, 1);
  }
  cluster.sync();

  int* dst = bins + rank * bins_per_block;
  const int mine = min(bins_per_block, nbins - rank * bins_per_block);
  for (int i = threadIdx.x; i < mine; i += blockDim.x)
    if (smem[i]) atomicAdd(dst + i, smem[i]);
}

struct ClusterLaunch {
  cudaLaunchConfig_t cfg{};
  cudaLaunchAttribute attr[1];
  ClusterLaunch(unsigned grid, unsigned block, size_t smem, unsigned cluster, cudaStream_t s) {
    cfg.gridDim = dim3((grid + cluster - 1) / cluster * cluster);
    cfg.blockDim = dim3(block);
    cfg.dynamicSmemBytes = smem;
    cfg.stream = s;
    attr[0].id = cudaLaunchAttributeClusterDimension;
    attr[0].val.clusterDim.x = cluster;
    attr[0].val.clusterDim.y = 1;
    attr[0].val.clusterDim.z = 1;
    cfg.attrs = attr;
    cfg.numAttrs = 1;
  }
};

cudaError_t histogram(int* bins, int nbins, const int* input, size_t n, int cluster, cudaStream_t s) {
  if (nbins < 1 || (cluster != 1 && cluster != 2 && cluster != 4 && cluster != 8)) return cudaErrorInvalidValue;
  const int per_block = (nbins + cluster - 1) / cluster;
  const size_t smem = per_block * sizeof(int);
  cudaError_t e = cudaFuncSetAttribute(cluster_histogram, cudaFuncAttributeMaxDynamicSharedMemorySize, int(smem));
  if (e != cudaSuccess) return e;
  if ((e = cudaMemsetAsync(bins, 0, sizeof(int) * nbins, s)) != cudaSuccess) return e;
  const unsigned block = 384;
  const unsigned grid = unsigned(std::clamp<size_t>((n + block - 1) / block, 1, 264));
  ClusterLaunch l(grid, block, smem, cluster, s);
  return cudaLaunchKernelEx(&l.cfg, cluster_histogram, bins, nbins, per_block, input, n);
}

int main() {
  int *bins, *x;
  const size_t n = 1 << 22;
  cudaMalloc(&bins, sizeof(int) * 100000);
  cudaMalloc(&x, sizeof(int) * n);
  cudaMemset(x, 0, sizeof(int) * n);
  int bad = 0;
  for (int c : {1, 2, 4, 8})
    for (int nb : {10, 1000, 24001}) bad += histogram(bins, nb, x, n, c, 0) != cudaSuccess;
  bad += cudaDeviceSynchronize() != cudaSuccess;
  cudaFree(bins);
  cudaFree(x);
  return bad;
}
