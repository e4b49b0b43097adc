#pragma once
#include <cuda_runtime.h>

// Barrier over all blocks of a launch. The launch has to be cooperative so
// that all blocks are resident.

namespace gridsync {

struct State {
  unsigned* arrived;
  unsigned* generation;
};

inline State create() {
  State s{};
  cudaMalloc(&s.arrived, 2 * sizeof(unsigned));
  cudaMemset(s.arrived, 0, 2 * sizeof(unsigned));
  s.generation = s.arrived + 1;
  return s;
}

inline void destroy(State& s) { cudaFree(s.arrived); }

class Barrier {
 public:
  __device__ Barrier(const State& s, unsigned blocks) : s_(s), blocks_(blocks) {}

  __device__ void wait() {
    __syncthreads();
    if (threadIdx.x == 0) {
      volatile unsigned* gen = s_.generation;
      const unsigned mine = *gen;
      __threadfence();
      if (atomicAdd(s_.arrived, 1u) == blocks_ - 1) {
        *s_.arrived = 0u;
        __threadfence();
        atomicAdd(s_.generation, 1u);
      } else {
        while (*gen == mine) {
        }
      }
      __threadfence();
    }
    __syncthreads();
  }

 private:
  State s_;
  unsigned blocks_;
};

}  // namespace gridsync
