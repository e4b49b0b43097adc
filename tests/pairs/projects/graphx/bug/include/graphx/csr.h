#pragma once
#include <cuda_runtime.h>
#include <climits>
#include <cstdint>
#include <stdexcept>
#include <string>

#define GX_CUDA(x)                                                                            \
  do {                                                                                        \
    const cudaError_t gx_err = (x);                                                           \
    if (gx_err != cudaSuccess)                                                                \
      throw std::runtime_error(std::string(#x " failed: ") + cudaGetErrorString(gx_err));     \
  } while (0)

namespace graphx {

using vid_t = int;
constexpr int kInf = INT_MAX;
constexpr int kBlock = 256;

template <typename W = int>
struct CsrView {
  vid_t n;
  int64_t m;
  const int64_t* row;
  const vid_t* col;
  const W* weight;

  __host__ __device__ int64_t begin(vid_t v) const { return row[v]; }
  __host__ __device__ int64_t end(vid_t v) const { return row[v + 1]; }
  __host__ __device__ int degree(vid_t v) const { return static_cast<int>(row[v + 1] - row[v]); }
};

inline int blocks_for(int64_t n, int block = kBlock, int cap = 65535) {
  const int64_t b = (n + block - 1) / block;
  return static_cast<int>(b < cap ? (b > 0 ? b : 1) : cap);
}

}  // namespace graphx
