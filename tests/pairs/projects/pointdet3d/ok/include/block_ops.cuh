#pragma once
#include <cuda_runtime.h>

namespace pcd {

constexpr unsigned kFullMask = 0xffffffffu;

template <typename T>
__device__ __forceinline__ T warp_sum(T v) {
#pragma unroll
  for (int off = 16; off > 0; off >>= 1) v += __shfl_down_sync(kFullMask, v, off);
  return v;
}

// Sum over the whole block, result returned in every thread.
template <typename T, int BLOCK>
__device__ T block_sum(T v, T* scratch) {
  static_assert(BLOCK % 32 == 0, "BLOCK must be a multiple of the warp size");
  const int lane = threadIdx.x & 31;
  const int wid = threadIdx.x >> 5;
  v = warp_sum(v);
  __syncthreads();
  if (lane == 0) scratch[wid] = v;
  __syncthreads();
  if (wid == 0) {
    v = lane < BLOCK / 32 ? scratch[lane] : T(0);
    v = warp_sum(v);
    if (lane == 0) scratch[0] = v;
  }
  __syncthreads();
  return scratch[0];
}

__device__ __forceinline__ void update_best(float* __restrict__ dists, int* __restrict__ dists_i,
                                            int idx1, int idx2) {
  const float v1 = dists[idx1], v2 = dists[idx2];
  const int i1 = dists_i[idx1], i2 = dists_i[idx2];
  dists[idx1] = fmaxf(v1, v2);
  dists_i[idx1] = v2 > v1 ? i2 : i1;
}

template <unsigned int BLOCK>
__device__ __forceinline__ void block_argmax(float* dists, int* dists_i, int tid) {
  if (BLOCK >= 1024) { if (tid < 512) update_best(dists, dists_i, tid, tid + 512); __syncthreads(); }
  if (BLOCK >= 512) { if (tid < 256) update_best(dists, dists_i, tid, tid + 256); __syncthreads(); }
  if (BLOCK >= 256) { if (tid < 128) update_best(dists, dists_i, tid, tid + 128); __syncthreads(); }
  if (BLOCK >= 128) { if (tid < 64) update_best(dists, dists_i, tid, tid + 64); __syncthreads(); }
#pragma unroll
  for (int s = 32; s > 0; s >>= 1) {
    if (tid < s) update_best(dists, dists_i, tid, tid + s);
    __syncthreads();
  }
}

}  // namespace pcd
