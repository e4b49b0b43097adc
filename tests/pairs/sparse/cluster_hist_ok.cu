// Histogram with more bins than one block wants to hold: the bins are spread over
// the shared memory of the blocks of a cluster.
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace cg = cooperative_groups;

#define CUDA_OK(x)                                                     \
  do {                                                                 \
    cudaError_t err = (x);                                             \
    if (err != cudaSuccess) {                                          \
      std::printf("%s failed: %s\n", #x, cudaGetErrorString(err));     \
      std::exit(EXIT_FAILURE);                                         \
    }                                                                  \
  } while (0)

constexpr int kBins = 32768;
constexpr int kThreads = 512;

__device__ __forceinline__ int binOf(uint32_t v) { return v >> 17; }

__global__ void clusterHistogram(const uint32_t* __restrict__ data, size_t n, int binsPerBlock,
                                 unsigned* __restrict__ bins) {
  extern __shared__ unsigned smem[];
  cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank();

  for (int i = threadIdx.x; i < binsPerBlock; i += kThreads) smem[i] = 0;
  cluster.sync();

  const size_t stride = (size_t)gridDim.x * kThreads;
  for (size_t i = (size_t)blockIdx.x * kThreads + threadIdx.x; i < n; i += stride) {
    const int bin = binOf(data[i]);
    unsigned* owner = cluster.map_shared_rank(smem, bin / binsPerBlock);
    atomicAdd(owner + bin % binsPerBlock, 1u);
  }
  cluster.sync();

  unsigned* out = bins + (size_t)rank * binsPerBlock;
  for (int i = threadIdx.x; i < binsPerBlock; i += kThreads)
    if (smem[i]) atomicAdd(out + i, smem[i]);
}

static void histogram(const uint32_t* data, size_t n, unsigned* bins, int clusterSize) {
  if (clusterSize != 2 && clusterSize != 4 && clusterSize != 8) {
    std::printf("cluster size must be 2, 4 or 8\n");
    std::exit(EXIT_FAILURE);
  }
  const int perBlock = kBins / clusterSize;
  const size_t bytes = perBlock * sizeof(unsigned);
  CUDA_OK(cudaFuncSetAttribute(clusterHistogram, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));

  cudaLaunchConfig_t cfg = {};
  cfg.gridDim = dim3(clusterSize * 24);
  cfg.blockDim = dim3(kThreads);
  cfg.dynamicSmemBytes = bytes;
  cudaLaunchAttribute attr[1];
  attr[0].id = cudaLaunchAttributeClusterDimension;
  attr[0].val.clusterDim.x = clusterSize;
  attr[0].val.clusterDim.y = 1;
  attr[0].val.clusterDim.z = 1;
  cfg.attrs = attr;
  cfg.numAttrs = 1;
  CUDA_OK(cudaMemset(bins, 0, kBins * sizeof(unsigned)));
  CUDA_OK(cudaLaunchKernelEx(&cfg, clusterHistogram, data, n, perBlock, bins));
}

int main(int argc, char** argv) {
  const size_t n = 40000003;
  std::vector<uint32_t> h(n);
  uint32_t s = 2463534242u;
  for (auto& v : h) {
    s ^= s << 13; s ^= s >> 17; s ^= s << 5;
    v = s;
  }
  uint32_t* d;
  unsigned* bins;
  CUDA_OK(cudaMalloc(&d, n * sizeof(uint32_t)));
  CUDA_OK(cudaMalloc(&bins, kBins * sizeof(unsigned)));
  CUDA_OK(cudaMemcpy(d, h.data(), n * sizeof(uint32_t), cudaMemcpyHostToDevice));
  histogram(d, n, bins, argc > 1 ? std::atoi(argv[1]) : 4);
  std::vector<unsigned> hb(kBins);
  CUDA_OK(cudaMemcpy(hb.data(), bins, kBins * sizeof(unsigned), cudaMemcpyDeviceToHost));
  size_t total = 0;
  for (unsigned c : hb) total += c;
  std::printf("%zu of %zu\n", total, n);
  CUDA_OK(cudaFree(d));
  CUDA_OK(cudaFree(bins));
  return total != n;
}
