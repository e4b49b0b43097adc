// Cooperative-groups statistics: sub-tiles per record, labelled and binary partitions per warp.
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <algorithm>

namespace cg = cooperative_groups;

struct Sample {
  int bucket;
  int weight;
};

template <int TILE>
__device__ int record_score(const cg::thread_block_tile<TILE>& t, const int* __restrict__ rec, int len, int* staging) {
  int s = 0;
  for (int i = t.thread_rank(); i < len; i += TILE) s += rec[i];
  const int before = cg::exclusive_scan(t, s, cg::plus<int>());
  staging[t.thread_rank()] = s + before;
  t.sync();
  const int peak = staging[TILE - 1 - t.thread_rank()];
  t.sync();
  return cg::reduce(t, peak, cg::greater<int>());
}

template <int TILE, int BLOCK>
__global__ void __launch_bounds__(BLOCK) score(const int* __restrict__ recs, int n, int len, int* __restrict__ out) {
  __shared__ int staging[BLOCK / TILE][TILE];
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<TILE>(block);
  const int id = tile.meta_group_rank();
  for (int r = blockIdx.x * (BLOCK / TILE) + id; r < n; r += gridDim.x * (BLOCK / TILE)) {
    const int v = record_score<TILE>(tile, recs + size_t(r) * len, len, staging[id]);
    if (tile.thread_rank() == 0) out[r] = v;
  }
}

__global__ void bucket_sums(const Sample* __restrict__ s, int n, int* sums, int* odd, int buckets) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int stride = gridDim.x * blockDim.x;
  for (int base = blockIdx.x * blockDim.x + threadIdx.x - int(warp.thread_rank()); base < n; base += stride) {
    const int i = base + warp.thread_rank();
    const Sample x = i < n ? s[i] : Sample{-1, 0};
    const int label = x.bucket >= 0 && x.bucket < buckets ? x.bucket : buckets;
    const auto same = cg::labeled_partition(warp, label);
    const int sum = cg::reduce(same, x.weight, cg::plus<int>());
    if (same.thread_rank() == 0 && label < buckets) atomicAdd(&sums[label], sum);
    const auto half = cg::binary_partition(warp, (x.weight & 1) != 0);
    if ((x.weight & 1) && half.thread_rank() == 0) atomicAdd(odd, int(half.size()));
    warp.sync();
  }
}

struct Launch {
  int grid, block;
  static Launch cover(long long items, int block, int cap = 1024) {
    return {int(std::clamp<long long>((items + block - 1) / block, 1, cap)), block};
  }
};

cudaError_t analyse(const int* recs, int n, int len, int* scores, const Sample* s, int m, int* sums, int* odd, int buckets) {
  if (n <= 0 || m <= 0 || len <= 0 || buckets <= 0 || n > (1 << 28) || m > (1 << 28)) return cudaErrorInvalidValue;
  if (len < 64) {
    const Launch l = Launch::cover((long long)n * 8, 128);
    score<8, 128><<<l.grid, l.block>>>(recs, n, len, scores);
  } else {
    const Launch l = Launch::cover((long long)n * 32, 256);
    score<32, 256><<<l.grid, l.block>>>(recs, n, len, scores);
  }
  cudaMemset(sums, 0, sizeof(int) * buckets);
  cudaMemset(odd, 0, sizeof(int));
  const Launch l = Launch::cover(m, 192);
  bucket_sums<<<l.grid, l.block>>>(s, m, sums, odd, buckets);
  return cudaDeviceSynchronize();
}
