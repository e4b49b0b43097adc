#include "gpudb/hash_table.cuh"

namespace gpudb {

struct GlobalAgg {
  key_t* keys;
  unsigned long long* sums;
  unsigned* cnts;
  uint32_t mask;
  __device__ void operator()(key_t k, unsigned long long s, unsigned c) const {
    uint32_t h = mix(k) & mask;
    while (true) {
      const key_t old = atomicCAS(&keys[h], kEmptyKey, k);
      if (old == kEmptyKey || old == k) break;
      h = (h + 1) & mask;
    }
    atomicAdd(&sums[h], s);
    atomicAdd(&cnts[h], c);
  }
};

template <int BLOCK, int CAP>
__global__ void groupby_sum_kernel(const key_t* __restrict__ keys, const val_t* __restrict__ vals,
                                   int n, GlobalAgg agg) {
  __shared__ LocalAggTable<CAP, BLOCK> local;
  local.clear();
  for (int base = blockIdx.x * BLOCK; base < n; base += gridDim.x * BLOCK) {
    const int i = base + threadIdx.x;
    bool placed = true;
    if (i < n) placed = local.try_add(keys[i], vals[i], local.kMaxProbe);
    if (__syncthreads_or(!placed)) {
      local.flush(agg);
      if (!placed) local.try_add(keys[i], vals[i], CAP);
    }
  }
  local.flush(agg);
}

void groupby_sum(const Relation& in, GlobalAgg agg, rmm::cuda_stream_view stream) {
  constexpr int kBlock = 256, kCap = 1024;
  const auto cfg = persistent_cfg(groupby_sum_kernel<kBlock, kCap>, kBlock);
  groupby_sum_kernel<kBlock, kCap><<<cfg.blocks, cfg.threads, 0, stream.value()>>>(in.keys.data(), in.vals.data(), in.rows(), agg);
  GPUDB_TRY(cudaGetLastError());
}

}  // namespace gpudb
