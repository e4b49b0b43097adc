// Stable multisplit of a key stream into 8 buckets by warp ballots (Ashkiani et al. style).
#include <cuda_runtime.h>
#include <cub/device/device_scan.cuh>
#include <cstdint>

namespace msplit {

constexpr int kBuckets = 8;
constexpr int kBlock = 256;
constexpr unsigned kAll = 0xffffffffu;

struct RangeBucket {
  uint32_t lo, width;
  __device__ int operator()(uint32_t key) const {
    if (key < lo) return 0;
    const uint32_t b = (key - lo) / width;
    return b >= kBuckets ? kBuckets - 1 : (int)b;
  }
};

// Lanes of the calling warp that have the same bucket as this lane.
__device__ unsigned peer_mask(int bucket, bool valid) {
  unsigned m = __ballot_sync(kAll, valid);
  for (int bit = 0; bit < 3; ++bit) {
    const unsigned v = __ballot_sync(kAll, (bucket >> bit) & 1);
    m &= (bucket >> bit) & 1 ? v : ~v;
  }
  return m;
}

template <class Bucket>
__global__ void warp_counts(const uint32_t* __restrict__ keys, int n, Bucket f, int warps, uint32_t* counts) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int warp = i / 32, lane = threadIdx.x % 32;
  const bool valid = i < n;
  const int b = valid ? f(keys[i]) : 0;
  const unsigned peers = peer_mask(b, valid);
  if (warp >= warps) return;
  if (lane < kBuckets) counts[lane * warps + warp] = 0;
  __syncwarp();
  if (valid && lane == __ffs(peers) - 1) counts[b * warps + warp] = __popc(peers);
}

template <class Bucket>
__global__ void scatter(const uint32_t* __restrict__ keys, const uint32_t* __restrict__ vals, int n, Bucket f, int warps,
                        const uint32_t* __restrict__ offset, uint32_t* out_keys, uint32_t* out_vals) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int warp = i / 32;
  const unsigned below = (1u << (threadIdx.x % 32)) - 1;
  const bool valid = i < n;
  const int b = valid ? f(keys[i]) : 0;
  const unsigned peers = peer_mask(b, valid);
  if (!valid) return;
  const uint32_t dst = offset[b * warps + warp] + __popc(peers & below);
  out_keys[dst] = keys[i];
  out_vals[dst] = vals[i];
}

cudaError_t split(const uint32_t* keys, const uint32_t* vals, int n, RangeBucket f, uint32_t* out_keys, uint32_t* out_vals,
                  cudaStream_t s) {
  if (n == 0) return cudaSuccess;
  const int warps = (n + 31) / 32, blocks = (n + kBlock - 1) / kBlock;
  uint32_t *counts, *offset;
  void* tmp = nullptr;
  size_t bytes = 0;
  cudaMallocAsync(&counts, sizeof(uint32_t) * kBuckets * warps, s);
  cudaMallocAsync(&offset, sizeof(uint32_t) * kBuckets * warps, s);
  cub::DeviceScan::ExclusiveSum(tmp, bytes, counts, offset, kBuckets * warps, s);
  cudaMallocAsync(&tmp, bytes, s);
  warp_counts<<<blocks, kBlock, 0, s>>>(keys, n, f, warps, counts);
  cub::DeviceScan::ExclusiveSum(tmp, bytes, counts, offset, kBuckets * warps, s);
  scatter<<<blocks, kBlock, 0, s>>>(keys, vals, n, f, warps, offset, out_keys, out_vals);
  cudaFreeAsync(tmp, s);
  cudaFreeAsync(counts, s);
  cudaFreeAsync(offset, s);
  return cudaGetLastError();
}

}  // namespace msplit
