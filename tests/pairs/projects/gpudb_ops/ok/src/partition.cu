#include "gpudb/relation.h"
#include "gpudb/block_scan.cuh"
#include <thrust/execution_policy.h>
#include <thrust/scan.h>

namespace gpudb {

template <int BITS>
__device__ __forceinline__ unsigned digit_of(key_t k, int shift) {
  return (k >> shift) & ((1u << BITS) - 1u);
}

struct __align__(8) KeyVal {
  key_t key;
  val_t val;
};

template <int BITS, int BLOCK>
__global__ void partition_hist_kernel(const key_t* __restrict__ keys, int n, int per_block, int shift,
                                      unsigned* __restrict__ block_hist) {
  constexpr int kBins = 1 << BITS;
  __shared__ unsigned hist[kBins];
  for (int b = threadIdx.x; b < kBins; b += BLOCK) hist[b] = 0;
  __syncthreads();
  const int begin = blockIdx.x * per_block, end = min(n, begin + per_block);
  for (int i = begin + threadIdx.x; i < end; i += BLOCK) atomicAdd(&hist[digit_of<BITS>(keys[i], shift)], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < kBins; b += BLOCK) block_hist[b * gridDim.x + blockIdx.x] = hist[b];
}

template <int BITS, int BLOCK>
__global__ void partition_scatter_kernel(const key_t* __restrict__ keys, const val_t* __restrict__ vals,
                                         int n, int per_block, int shift,
                                         const unsigned* __restrict__ offsets,
                                         key_t* __restrict__ out_keys, val_t* __restrict__ out_vals) {
  constexpr int kBins = 1 << BITS;
  static_assert(kBins <= BLOCK, "one thread per bin");
  __shared__ unsigned goff[kBins], cnt[kBins], loff[kBins];
  __shared__ KeyVal stage[BLOCK];
  __shared__ typename BlockScan<BLOCK>::Storage scan;
  const int tid = threadIdx.x;
  if (tid < kBins) goff[tid] = offsets[tid * gridDim.x + blockIdx.x];
  const int begin = blockIdx.x * per_block, end = min(n, begin + per_block);

  for (int base = begin; base < end; base += BLOCK) {
    if (tid < kBins) cnt[tid] = 0;
    __syncthreads();
    const int i = base + tid;
    KeyVal kv{0, 0};
    unsigned d = 0, rank = 0;
    if (i < end) {
      kv = {keys[i], vals[i]};
      d = digit_of<BITS>(kv.key, shift);
      rank = atomicAdd(&cnt[d], 1u);
    }
    __syncthreads();
    const int mine = tid < kBins ? static_cast<int>(cnt[tid]) : 0;
    int total;
    const int ex = BlockScan<BLOCK>::exclusive(mine, scan, total);
    if (tid < kBins) loff[tid] = ex;
    __syncthreads();
    if (i < end) stage[loff[d] + rank] = kv;
    __syncthreads();
    if (tid < total) {
      const KeyVal o = stage[tid];
      const unsigned od = digit_of<BITS>(o.key, shift);
      const unsigned dst = goff[od] + tid - loff[od];
      out_keys[dst] = o.key;
      out_vals[dst] = o.val;
    }
    __syncthreads();
    if (tid < kBins) goff[tid] += mine;
  }
}

void radix_partition(const Relation& in, Relation& out, int shift, rmm::cuda_stream_view stream) {
  constexpr int kBits = 6, kBlock = 256, kPerBlock = 8192;
  const int n = in.rows();
  const int blocks = (n + kPerBlock - 1) / kPerBlock;
  if (blocks == 0) return;
  rmm::device_uvector<unsigned> hist(static_cast<size_t>(blocks) << kBits, stream);
  partition_hist_kernel<kBits, kBlock><<<blocks, kBlock, 0, stream.value()>>>(in.keys.data(), n, kPerBlock, shift, hist.data());
  thrust::exclusive_scan(thrust::cuda::par.on(stream.value()), hist.data(), hist.data() + hist.size(), hist.data());
  partition_scatter_kernel<kBits, kBlock><<<blocks, kBlock, 0, stream.value()>>>(
      in.keys.data(), in.vals.data(), n, kPerBlock, shift, hist.data(), out.keys.data(), out.vals.data());
  GPUDB_TRY(cudaGetLastError());
}

}  // namespace gpudb
