// ATen/cuda/DeviceUtils.cuh, KernelUtils.h and their predecessors.
#pragma once
#include <cuwarp_foreign/c10_types.h>
__device__ __forceinline__ unsigned int ACTIVE_MASK() { return __activemask(); }
__device__ __forceinline__ void WARP_SYNC(unsigned mask = 0xffffffff) { return __syncwarp(mask); }
__device__ __forceinline__ unsigned int WARP_BALLOT(int predicate, unsigned int mask = 0xffffffff) {
    return __ballot_sync(mask, predicate);
}
template <typename T>
__device__ __forceinline__ T WARP_SHFL_XOR(T value, int laneMask, int width = warpSize,
                                           unsigned int mask = 0xffffffff) {
    return __shfl_xor_sync(mask, value, laneMask, width);
}
template <typename T>
__device__ __forceinline__ T WARP_SHFL(T value, int srcLane, int width = warpSize, unsigned int mask = 0xffffffff) {
    return __shfl_sync(mask, value, srcLane, width);
}
template <typename T>
__device__ __forceinline__ T WARP_SHFL_UP(T value, unsigned int delta, int width = warpSize,
                                          unsigned int mask = 0xffffffff) {
    return __shfl_up_sync(mask, value, delta, width);
}
template <typename T>
__device__ __forceinline__ T WARP_SHFL_DOWN(T value, unsigned int delta, int width = warpSize,
                                            unsigned int mask = 0xffffffff) {
    return __shfl_down_sync(mask, value, delta, width);
}
template <typename T> __device__ __forceinline__ T doLdg(const T *p) { return *p; }
#define CUDA_KERNEL_LOOP_TYPE(i, n, index_type)                                                                        \
    int64_t _i_n_d_e_x = ((int64_t)blockIdx.x) * blockDim.x + threadIdx.x;                                             \
    for (index_type i = _i_n_d_e_x; _i_n_d_e_x < (n); _i_n_d_e_x += blockDim.x * gridDim.x, i = _i_n_d_e_x)
#define CUDA_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)
template <typename T> __host__ __device__ __forceinline__ constexpr T THCCeilDiv(T a, T b) { return (a + b - 1) / b; }
template <typename T> __host__ __device__ __forceinline__ constexpr T THCRoundUp(T a, T b) {
    return THCCeilDiv(a, b) * b;
}
