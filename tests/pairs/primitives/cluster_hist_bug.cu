#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

// Histogram with more bins than fit one block: the bins are spread over the
// shared memory of a thread block cluster.

namespace dhist {

struct Range {
  float lo, scale;
  int bins;
  __device__ int operator()(float v) const {
    const int b = int((v - lo) * scale);
    return b < 0 ? 0 : (b >= bins ? bins - 1 : b);
  }
};

struct Joint {
  int side;
  __device__ int operator()(uchar2 v) const { return (v.x * side >> 8) * side + (v.y * side >> 8); }
};

template <class Group>
class DistributedBins {
 public:
  __device__ DistributedBins(Group& g, unsigned* local, int perBlock) : g_(g), local_(local), per_(perBlock) {
    for (int i = threadIdx.x; i < per_; i += blockDim.x) local_[i] = 0u;
    __syncthreads();
  }

  __device__ void add(int bin) {
    unsigned* remote = g_.map_shared_rank(local_, bin / per_);
    atomicAdd(remote + bin % per_, 1u);
  }

  __device__ void flush(unsigned* global, int bins) {
    g_.sync();
    const int base = int(g_.block_rank()) * per_;
    for (int i = threadIdx.x; i < per_; i += blockDim.x)
      if (base + i < bins && local_[i]) atomicAdd(global + base + i, local_[i]);
  }

 private:
  Group& g_;
  unsigned* local_;
  int per_;
};

template <typename T, typename BinOf>
__global__ void histogram(const T* data, size_t n, BinOf binOf, int bins, int perBlock, unsigned* out) {
  extern __shared__ unsigned localBins[];
  cg::cluster_group cluster = cg::this_cluster();
  DistributedBins<cg::cluster_group> hist(cluster, localBins, perBlock);

  const size_t step = size_t(gridDim.x) * blockDim.x;
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) hist.add(binOf(data[i]));

  hist.flush(out, bins);
}

template <typename T, typename BinOf>
cudaError_t run(const T* data, size_t n, BinOf binOf, int bins, unsigned* out, cudaStream_t s) {
  const int clusterSize = bins <= 16384 ? 2 : 8;
  const int perBlock = (bins + clusterSize - 1) / clusterSize;

  cudaLaunchConfig_t cfg{};
  cfg.blockDim = dim3(256);
  cfg.gridDim = dim3(unsigned((n + 8191) / 8192 + clusterSize - 1) / clusterSize * clusterSize);
  cfg.dynamicSmemBytes = size_t(perBlock) * sizeof(unsigned);
  cfg.stream = s;
  cudaLaunchAttribute attr[1];
  attr[0].id = cudaLaunchAttributeClusterDimension;
  attr[0].val.clusterDim.x = unsigned(clusterSize);
  attr[0].val.clusterDim.y = attr[0].val.clusterDim.z = 1;
  cfg.attrs = attr;
  cfg.numAttrs = 1;

  cudaError_t e = cudaFuncSetAttribute(histogram<T, BinOf>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       int(cfg.dynamicSmemBytes));
  if (e != cudaSuccess) return e;
  cudaMemsetAsync(out, 0, sizeof(unsigned) * bins, s);
  return cudaLaunchKernelEx(&cfg, histogram<T, BinOf>, data, n, binOf, bins, perBlock, out);
}

}  // namespace dhist

int main() {
  const size_t n = 10'000'000;
  std::vector<float> h(n);
  for (size_t i = 0; i < n; ++i) h[i] = float((i * 2654435761u) & 0xffffff) / 16777216.f;
  float* d;
  uchar2* pairs;
  unsigned* out;
  cudaMalloc(&d, n * sizeof(float));
  cudaMalloc(&pairs, n * sizeof(uchar2));
  cudaMalloc(&out, 65536 * sizeof(unsigned));
  cudaMemcpy(d, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(pairs, h.data(), n * sizeof(uchar2), cudaMemcpyHostToDevice);

  cudaError_t e = dhist::run(d, n, dhist::Range{0.f, 10000.f, 10000}, 10000, out, 0);
  if (e == cudaSuccess) e = dhist::run(pairs, n, dhist::Joint{256}, 65536, out, 0);
  if (e == cudaSuccess) e = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(e));
  return e != cudaSuccess;
}
