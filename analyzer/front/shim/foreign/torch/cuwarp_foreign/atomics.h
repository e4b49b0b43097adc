// ATen/cuda/Atomic.cuh: atomics of types that CUDA has none for. As there, those that CUDA lacks are loops of compare
// and swap; here they are the one operation that these loops are.
#pragma once
#include <cuwarp_foreign/c10_types.h>
__device__ inline int64_t atomicAdd(int64_t *address, int64_t value) {
    return (int64_t)atomicAdd((unsigned long long *)address, (unsigned long long)value);
}
__device__ inline at::Half atomicAdd(at::Half *address, at::Half value) {
    return at::Half(atomicAdd((__half *)address, (__half)value));
}
__device__ inline at::BFloat16 atomicAdd(at::BFloat16 *address, at::BFloat16 value) {
    return at::BFloat16(atomicAdd((__nv_bfloat16 *)address, (__nv_bfloat16)value));
}
template <typename T> __device__ inline T gpuAtomicAdd(T *address, T value) { return atomicAdd(address, value); }
template <typename T> __device__ inline void gpuAtomicAddNoReturn(T *address, T value) { gpuAtomicAdd(address, value); }
template <typename T>
__device__ inline void fastAtomicAdd(T *tensor, size_t index, const size_t numel, T value, bool fast) {
    gpuAtomicAdd(tensor + index, value);
}
__device__ inline int gpuAtomicMax(int *address, int value) { return atomicMax(address, value); }
__device__ inline int gpuAtomicMin(int *address, int value) { return atomicMin(address, value); }
#define CUWARP_CAS_LOOP(name, result)                                                                                  \
    __device__ inline float name(float *address, float value) {                                                        \
        unsigned *bits = (unsigned *)address, old = *bits, seen;                                                       \
        do {                                                                                                           \
            seen = old;                                                                                                \
            old = atomicCAS(bits, seen, __float_as_uint(result));                                                      \
        } while (seen != old);                                                                                         \
        return __uint_as_float(old);                                                                                   \
    }
CUWARP_CAS_LOOP(gpuAtomicMax, fmaxf(value, __uint_as_float(seen)))
CUWARP_CAS_LOOP(gpuAtomicMin, fminf(value, __uint_as_float(seen)))
CUWARP_CAS_LOOP(gpuAtomicMul, value * __uint_as_float(seen))
