#pragma once
#include <cuda_runtime.h>

namespace block {

// Sum over the block that every thread receives.
template <typename T, int THREADS>
class Broadcast {
 public:
  static constexpr int kWarps = THREADS / 32;
  static_assert(THREADS % 32 == 0 && kWarps <= 32, "whole warps");

  struct Storage {
    T part[2][kWarps];
  };

  __device__ explicit Broadcast(Storage& s) : s_(s) {}

  // Consecutive sums use the two halves of the storage in turn.
  __device__ T sumAll(T v) {
#pragma unroll
    for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(0xffffffffu, v, o);
    T* part = s_.part[turn_];
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    T total = T(0);
#pragma unroll
    for (int w = 0; w < kWarps; ++w) total += part[w];
    turn_ ^= 1;
    return total;
  }

 private:
  Storage& s_;
  int turn_ = 0;
};

}  // namespace block
