// The device side: built-in variables and the functions of intrinsics.def that need no header.
#pragma once
extern __device__ const uint3 threadIdx;
extern __device__ const uint3 blockIdx;
extern __device__ const dim3 blockDim;
extern __device__ const dim3 gridDim;
extern __device__ const uint3 clusterIdx;
extern __device__ const dim3 clusterDim;
extern __device__ const uint3 blockIdxInCluster;
extern __device__ const int warpSize;
//@ sync | __device__
//@ warp | __device__
//@ atomic | __device__
//@ memory | __device__
//@ control | __device__
//@ bits | __device__
//@ simd | __device__
//@ dpx | __host__ __device__
//@ minmax | __host__ __device__
//@ math | __host__ __device__
//@ fastmath | __device__
__host__ __device__ inline void *operator new(size_t, void *p) noexcept { return p; }
__host__ __device__ inline void *operator new[](size_t, void *p) noexcept { return p; }
