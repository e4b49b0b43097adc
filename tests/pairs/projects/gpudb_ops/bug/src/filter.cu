#include "gpudb/relation.h"

namespace gpudb {

__constant__ char c_pattern[256];

__device__ bool contains(const char* s, int len, int plen) {
  for (int p = 0; p + plen <= len; ++p) {
    int k = 0;
    while (k < plen && s[p + k] == c_pattern[k]) ++k;
    if (k == plen) return true;
  }
  return false;
}

// One bit per row, one word per warp.
template <int BLOCK>
__global__ void like_kernel(const char* __restrict__ chars, const int* __restrict__ offs, int rows,
                            int plen, unsigned* __restrict__ bitmap) {
  const int lane = threadIdx.x & 31;
  for (int base = blockIdx.x * BLOCK + (threadIdx.x & ~31); base < rows; base += gridDim.x * BLOCK) {
    const int r = base + lane;
    bool hit = false;
    if (r < rows) hit = contains(chars + offs[r], offs[r + 1] - offs[r], plen);
    if (hit) {
      const unsigned m = __activemask();
      if (lane == __ffs(m) - 1) bitmap[base >> 5] = m;
    }
  }
}

// Min / max of each zone of `zone` rows; one block per zone.
template <typename T>
__global__ void zone_map_kernel(const T* __restrict__ col, int n, int zone, T* __restrict__ zmin,
                                T* __restrict__ zmax) {
  __shared__ T s_min[32], s_max[32];
  const int lane = threadIdx.x & 31, wid = threadIdx.x >> 5;
  const int begin = blockIdx.x * zone, end = min(n, begin + zone);
  T lo = col[begin], hi = lo;
  for (int i = begin + threadIdx.x; i < end; i += blockDim.x) {
    lo = min(lo, col[i]);
    hi = max(hi, col[i]);
  }
#pragma unroll
  for (int off = 16; off > 0; off >>= 1) {
    lo = min(lo, __shfl_down_sync(0xffffffffu, lo, off));
    hi = max(hi, __shfl_down_sync(0xffffffffu, hi, off));
  }
  if (lane == 0) {
    s_min[wid] = lo;
    s_max[wid] = hi;
  }
  __syncwarp();
  if (threadIdx.x == 0) {
    for (int w = 1; w < blockDim.x / 32; ++w) {
      lo = min(lo, s_min[w]);
      hi = max(hi, s_max[w]);
    }
    zmin[blockIdx.x] = lo;
    zmax[blockIdx.x] = hi;
  }
}

void like_filter(const StringColumn& col, const std::string& pattern, rmm::device_uvector<unsigned>& bitmap,
                 rmm::cuda_stream_view stream) {
  if (pattern.empty() || pattern.size() > 256) throw std::invalid_argument("pattern length");
  GPUDB_TRY(cudaMemcpyToSymbolAsync(c_pattern, pattern.data(), pattern.size(), 0, cudaMemcpyHostToDevice, stream.value()));
  GPUDB_TRY(cudaMemsetAsync(bitmap.data(), 0, bitmap.size() * sizeof(unsigned), stream.value()));
  constexpr int kBlock = 256;
  const auto cfg = persistent_cfg(like_kernel<kBlock>, kBlock);
  like_kernel<kBlock><<<cfg.blocks, cfg.threads, 0, stream.value()>>>(
      col.chars.data(), col.offsets.data(), col.rows(), static_cast<int>(pattern.size()), bitmap.data());
  GPUDB_TRY(cudaGetLastError());
}

void build_zone_map(const rmm::device_uvector<val_t>& col, int zone, int threads, rmm::device_uvector<val_t>& zmin,
                    rmm::device_uvector<val_t>& zmax, rmm::cuda_stream_view stream) {
  if (threads < 64 || threads > 1024 || threads % 32) throw std::invalid_argument("threads");
  const int n = static_cast<int>(col.size());
  const int zones = (n + zone - 1) / zone;
  if (zones == 0) return;
  zone_map_kernel<val_t><<<zones, threads, 0, stream.value()>>>(col.data(), n, zone, zmin.data(), zmax.data());
  GPUDB_TRY(cudaGetLastError());
}

}  // namespace gpudb
