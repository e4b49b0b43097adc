#pragma once

namespace gpudb {

template <int BLOCK>
struct BlockScan {
  static constexpr int kWarps = BLOCK / 32;
  struct Storage {
    int warp_tot[kWarps];
  };

  static __device__ __forceinline__ int warp_inclusive(int v) {
    const int lane = threadIdx.x & 31;
#pragma unroll
    for (int off = 1; off < 32; off <<= 1) {
      const int n = __shfl_up_sync(0xffffffffu, v, off);
      if (lane >= off) v += n;
    }
    return v;
  }

  static __device__ int exclusive(int v, Storage& s, int& total) {
    const int lane = threadIdx.x & 31, wid = threadIdx.x >> 5;
    const int inc = warp_inclusive(v);
    if (lane == 31) s.warp_tot[wid] = inc;
    __syncthreads();
    if (wid == 0) {
      const int t = warp_inclusive(lane < kWarps ? s.warp_tot[lane] : 0);
      if (lane < kWarps) s.warp_tot[lane] = t;
    }
    __syncthreads();
    total = s.warp_tot[kWarps - 1];
    const int base = wid ? s.warp_tot[wid - 1] : 0;
    __syncthreads();
    return base + inc - v;
  }
};

}  // namespace gpudb
