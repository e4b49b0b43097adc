// Row-wise argmax: one warp per row, value and column packed in one 64-bit key.
#include <cuda_runtime.h>
#include <cstdint>

namespace rowarg {

constexpr unsigned kFull = 0xffffffffu;
constexpr int kWarpsPerBlock = 4;

// Maps a float to an unsigned whose order is the order of the floats.
__device__ __forceinline__ uint32_t order_key(float f)
{
    uint32_t u = __float_as_uint(f);
    return (u & 0x80000000u) ? ~u : (u | 0x80000000u);
}

__device__ __forceinline__ float key_to_float(uint32_t k)
{
    return __uint_as_float((k & 0x80000000u) ? (k & 0x7fffffffu) : ~k);
}

__device__ __forceinline__ unsigned long long pack(float v, uint32_t col)
{
    // Smaller column wins a tie, so store the complement.
    return (static_cast<unsigned long long>(order_key(v)) << 32) | (0xffffffffu - col);
}

__device__ __forceinline__ unsigned long long warp_max_u64(unsigned long long k)
{
#pragma unroll
    for (int off = 16; off > 0; off >>= 1) {
        unsigned long long o = __shfl_xor_sync(kFull, k, off);
        k = o > k ? o : k;
    }
    return k;
}

__global__ void argmax_rows(const float* __restrict__ m, int rows, int cols, int ld,
                            int* __restrict__ arg, float* __restrict__ val)
{
    const int lane = threadIdx.x & 31;
    const int row = blockIdx.x * kWarpsPerBlock + (threadIdx.x >> 5);
    if (row >= rows) return;          // whole warps leave

    const float* p = m + static_cast<size_t>(row) * ld;
    unsigned long long best = 0;
    for (int c = lane; c < cols; c += 32) {
        unsigned long long k = pack(p[c], static_cast<uint32_t>(c));
        if (k > best) best = k;
    }
    best = warp_max_u64(best);
    if (lane == 0) {
        arg[row] = static_cast<int>(0xffffffffu - static_cast<uint32_t>(best));
        val[row] = key_to_float(static_cast<uint32_t>(best >> 32));
    }
}

} // namespace rowarg

extern "C" cudaError_t launch_argmax_rows(const float* m, int rows, int cols, int ld,
                                          int* arg, float* val, cudaStream_t s)
{
    if (rows <= 0 || cols <= 0 || ld < cols) return cudaErrorInvalidValue;
    const int grid = (rows + rowarg::kWarpsPerBlock - 1) / rowarg::kWarpsPerBlock;
    rowarg::argmax_rows<<<grid, rowarg::kWarpsPerBlock * 32, 0, s>>>(m, rows, cols, ld, arg, val);
    return cudaGetLastError();
}
