// Sorts groups of 32 keys with a bitonic network held in registers.
#include <cuda_runtime.h>
#include <climits>

template <typename K, typename V>
__device__ __forceinline__ void exchange(K& k, V& v, int lane_mask, bool ascending)
{
    const int lane = threadIdx.x & 31;
    const K ok = __shfl_xor_sync(0xffffffffu, k, lane_mask);
    const V ov = __shfl_xor_sync(0xffffffffu, v, lane_mask);
    const bool lower = (lane & lane_mask) == 0;
    // The lower lane keeps the smaller key in an ascending stage.
    const bool want_small = lower == ascending;
    const bool swap = want_small ? (ok < k) : (k < ok);
    if (swap) {
        k = ok;
        v = ov;
    }
}

template <typename K, typename V>
__device__ void warp_bitonic_sort(K& k, V& v)
{
    const int lane = threadIdx.x & 31;
#pragma unroll
    for (int size = 2; size <= 32; size <<= 1) {
        const bool asc = (lane & size) == 0;
#pragma unroll
        for (int stride = size >> 1; stride > 0; stride >>= 1)
            exchange(k, v, stride, asc);
    }
}

__global__ void sort_small_lists(int* __restrict__ keys, int* __restrict__ vals,
                                 const int* __restrict__ offsets, int lists)
{
    const int lane = threadIdx.x & 31;
    const int list = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
    if (list >= lists) return;

    const int b = offsets[list];
    int len = offsets[list + 1] - b;
    if (len > 32) len = 32;         // callers keep longer lists out; only the head is sorted

    int k = INT_MAX;                // node ids are below INT_MAX, so padding sorts last
    int v = -1;
    if (lane < len) {
        k = keys[b + lane];
        v = vals[b + lane];
    }
    warp_bitonic_sort(k, v);
    if (lane < len) {
        keys[b + lane] = k;
        vals[b + lane] = v;
    }
}

void sort_neighbour_lists(int* keys, int* vals, const int* offsets, int lists, cudaStream_t s)
{
    if (lists <= 0) return;
    const int warps = 4;
    sort_small_lists<<<(lists + warps - 1) / warps, warps * 32, 0, s>>>(keys, vals, offsets, lists);
}
