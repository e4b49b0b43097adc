#pragma once
#include "md/device.cuh"

namespace md {

// All pairs, tiles of TILE particles through shared memory. blockDim.x == TILE.
template <int TILE, class Pot>
__global__ void pair_tile_kernel(const float4* __restrict__ posq, float4* __restrict__ force,
                                 float* __restrict__ energy, int n, float box, Pot pot) {
  __shared__ float4 tile[TILE];
  const int i = blockIdx.x * TILE + threadIdx.x;
  const float4 pi = i < n ? posq[i] : make_float4(0.f, 0.f, 0.f, 0.f);
  float3 f = make_float3(0.f, 0.f, 0.f);
  float en = 0.f;
  for (int j0 = 0; j0 < n; j0 += TILE) {
    const int m = min(TILE, n - j0);
    if (threadIdx.x < m) tile[threadIdx.x] = posq[j0 + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < m; ++k) {
      if (j0 + k == i) continue;
      const float4 pj = tile[k];
      const float3 d = min_image(pi - pj, box);
      float fs, e;
      pot(d, pi.w * pj.w, fs, e);
      axpy(f, fs, d);
      en += e;
    }
    __syncthreads();
  }
  if (i < n) force[i] = make_float4(f.x, f.y, f.z, 0.f);
  en = block_sum<TILE>(i < n ? 0.5f * en : 0.f);
  if (threadIdx.x == 0) atomicAdd(energy, en);
}

// Neighbour list, LANES threads per particle.
template <int LANES, class Pot>
__global__ void pair_list_kernel(const float4* __restrict__ posq, const int* __restrict__ neigh,
                                 const int* __restrict__ numneigh, int max_neigh,
                                 float4* __restrict__ force, int n, float box, Pot pot) {
  static_assert(LANES < 32 && (LANES & (LANES - 1)) == 0, "");
  const int gt = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = gt / LANES;
  const int sub = threadIdx.x % LANES;
  if (i >= n) return;
  const unsigned mask = ((1u << LANES) - 1u) << ((threadIdx.x & 31) / LANES * LANES);
  const float4 pi = posq[i];
  const int cnt = numneigh[i];
  float3 f = make_float3(0.f, 0.f, 0.f);
  for (int k = sub; k < cnt; k += LANES) {
    const float4 pj = posq[neigh[static_cast<size_t>(i) * max_neigh + k]];
    const float3 d = min_image(pi - pj, box);
    float fs, e;
    pot(d, pi.w * pj.w, fs, e);
    axpy(f, fs, d);
  }
#pragma unroll
  for (int off = LANES / 2; off > 0; off >>= 1) {
    f.x += __shfl_down_sync(mask, f.x, off, LANES);
    f.y += __shfl_down_sync(mask, f.y, off, LANES);
    f.z += __shfl_down_sync(mask, f.z, off, LANES);
  }
  if (sub == 0) force[i] = make_float4(f.x, f.y, f.z, 0.f);
}

}  // namespace md
