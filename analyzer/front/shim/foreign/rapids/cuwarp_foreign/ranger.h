// Ranges of numbers for device code (harrism/ranger): loops over the grid's threads.
#pragma once
#include <cuda_runtime.h>
namespace ranger {
template <typename T> struct cuwarp_range {
    struct iterator {
        T at, step;
        __host__ __device__ T operator*() const { return at; }
        __host__ __device__ iterator &operator++() {
            at += step;
            return *this;
        }
        __host__ __device__ bool operator!=(const iterator &o) const { return at < o.at; }
    };
    T first_, last_, step_;
    __host__ __device__ iterator begin() const { return {first_, step_}; }
    __host__ __device__ iterator end() const { return {last_, step_}; }
};
template <typename T> __host__ __device__ cuwarp_range<T> range(T first, T last) { return {first, last, T(1)}; }
template <typename T> __device__ cuwarp_range<T> grid_stride_range(T first, T last, T step = T(1)) {
    return {T(first + T(blockDim.x * blockIdx.x + threadIdx.x) * step), last, T(T(gridDim.x * blockDim.x) * step)};
}
template <typename T> __device__ cuwarp_range<T> grid_stride_range(T n) { return grid_stride_range(T(0), n); }
template <typename T> __device__ cuwarp_range<T> block_stride_range(T first, T last, T step = T(1)) {
    return {T(first + T(threadIdx.x) * step), last, T(T(blockDim.x) * step)};
}
template <typename T> __device__ cuwarp_range<T> block_stride_range(T n) { return block_stride_range(T(0), n); }
} // namespace ranger
