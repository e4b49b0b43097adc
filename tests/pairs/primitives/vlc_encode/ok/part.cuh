#pragma once
#include <cuda_runtime.h>

namespace prim {

template <typename T>
__device__ __forceinline__ T warpInclusive(T v) {
  const int lane = threadIdx.x & 31;
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    T o = __shfl_up_sync(0xffffffffu, v, d);
    if (lane >= d) v += o;
  }
  return v;
}

// Block wide scan over one value for each thread.
template <typename T, int THREADS>
class BlockScan {
 public:
  static constexpr int kWarps = THREADS / 32;
  struct Storage {
    T warpTotal[kWarps];
  };

  __device__ explicit BlockScan(Storage& s) : s_(s) {}

  __device__ T exclusive(T v, T& total) {
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    const T inc = warpInclusive(v);
    if (lane == 31) s_.warpTotal[warp] = inc;
    __syncthreads();
    T before = T(0);
    total = T(0);
#pragma unroll
    for (int w = 0; w < kWarps; ++w) {
      const T t = s_.warpTotal[w];
      before += w < warp ? t : T(0);
      total += t;
    }
    __syncthreads();
    return before + inc - v;
  }

 private:
  Storage& s_;
};

}  // namespace prim
