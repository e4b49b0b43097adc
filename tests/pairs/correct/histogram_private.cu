// Histogram with one private copy per warp, size from the occupancy calculator.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdint>
#include <cstdlib>

constexpr int BINS = 128;

struct WarpHistogram {
  unsigned bin[BINS];
  __device__ void add(unsigned b) { atomicAdd(&bin[b & (BINS - 1)], 1u); }
};

__device__ inline int warp_index() { return threadIdx.x >> 5; }

__global__ void histogram(const uint32_t* __restrict__ words, size_t nwords, unsigned* __restrict__ global_bins) {
  extern __shared__ WarpHistogram hist[];
  const int warps = blockDim.x >> 5;
  unsigned* flat = &hist[0].bin[0];
  for (int i = threadIdx.x; i < warps * BINS; i += blockDim.x) flat[i] = 0;
  __syncthreads();

  WarpHistogram& mine = hist[warp_index()];
  const size_t step = size_t(gridDim.x) * blockDim.x;
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < nwords; i += step) {
    uint32_t w = words[i];
#pragma unroll
    for (int b = 0; b < 4; ++b, w >>= 8) mine.add((w & 0xff) >> 1);
  }
  __syncthreads();

  for (int b = threadIdx.x; b < BINS; b += blockDim.x) {
    unsigned sum = 0;
    for (int w = 0; w < warps; ++w) sum += hist[w].bin[b];
    if (sum) atomicAdd(&global_bins[b], sum);
  }
}

static size_t smem_for_block(int block) { return sizeof(WarpHistogram) * (block / 32); }

int env_or(const char* name, int def) {
  const char* v = std::getenv(name);
  return v && *v ? std::atoi(v) : def;
}

cudaError_t byte_histogram(const void* bytes, size_t n, unsigned* bins, cudaStream_t s) {
  int min_grid = 0, block = 0;
  cudaError_t e = cudaOccupancyMaxPotentialBlockSizeVariableSMem(&min_grid, &block, histogram, smem_for_block);
  if (e != cudaSuccess) return e;
  const int want = env_or("HIST_BLOCK", block);
  block = std::max(32, std::min(want, 1024) / 32 * 32);
  if ((e = cudaMemsetAsync(bins, 0, BINS * sizeof(unsigned), s)) != cudaSuccess) return e;
  const size_t words = n / 4;
  const size_t need = (words + block - 1) / block;
  const int grid = int(std::clamp<size_t>(need, 1, std::max(1, min_grid)));
  histogram<<<grid, block, smem_for_block(block), s>>>(static_cast<const uint32_t*>(bytes), words, bins);
  return cudaGetLastError();
}
