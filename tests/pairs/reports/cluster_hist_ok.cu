#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <cstdint>

namespace cg = cooperative_groups;

namespace stats {

constexpr int kCluster = 4;
constexpr int kBins = 1024;
constexpr int kThreads = 256;
constexpr int kSlice = kBins / kCluster;

struct HistArgs {
  const uint16_t* values;
  size_t n;
  int shift;
  unsigned long long* global_bins;  // [kBins], zero on entry
};

__device__ __forceinline__ int bin_of(uint16_t v, int shift) {
  const int b = v >> shift;
  return b < kBins ? b : kBins - 1;
}

__device__ void count_local(const HistArgs& a, uint32_t* bins) {
  const size_t stride = (size_t)gridDim.x * kThreads;
  for (size_t i = (size_t)blockIdx.x * kThreads + threadIdx.x; i < a.n; i += stride) {
    atomicAdd(&bins[bin_of(a.values[i], a.shift)], 1u);
  }
}

__global__ void __cluster_dims__(kCluster, 1, 1) __launch_bounds__(kThreads)
histogram_kernel(HistArgs a) {
  __shared__ uint32_t bins[kBins];
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank();

  for (int i = threadIdx.x; i < kBins; i += kThreads) bins[i] = 0;
  __syncthreads();
  count_local(a, bins);
  cluster.sync();

  const int first = rank * kSlice;
  for (int i = threadIdx.x; i < kSlice; i += kThreads) {
    unsigned long long sum = 0;
#pragma unroll
    for (unsigned r = 0; r < kCluster; ++r) {
      const uint32_t* remote = cluster.map_shared_rank(bins, r);
      sum += remote[first + i];
    }
    if (sum != 0) atomicAdd(&a.global_bins[first + i], sum);
  }
  cluster.sync();
}

__global__ void cdf_kernel(const unsigned long long* bins, double* cdf, size_t n) {
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    unsigned long long run = 0;
    for (int b = 0; b < kBins; ++b) {
      run += bins[b];
      cdf[b] = n ? double(run) / double(n) : 0.0;
    }
  }
}

cudaError_t histogram(const uint16_t* values, size_t n, int bits, unsigned long long* bins,
                      double* cdf, cudaStream_t s) {
  HistArgs a;
  a.values = values;
  a.n = n;
  a.shift = bits > 10 ? bits - 10 : 0;
  a.global_bins = bins;
  size_t want = (n + kThreads * 16 - 1) / (kThreads * 16);
  if (want > 512) want = 512;
  unsigned grid = static_cast<unsigned>((want + kCluster - 1) / kCluster * kCluster);
  if (grid == 0) grid = kCluster;
  cudaMemsetAsync(bins, 0, kBins * sizeof(unsigned long long), s);
  histogram_kernel<<<grid, kThreads, 0, s>>>(a);
  cdf_kernel<<<1, 32, 0, s>>>(bins, cdf, n);
  return cudaGetLastError();
}

}  // namespace stats
