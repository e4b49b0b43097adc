// Decoding of delta-coded, zig-zag packed integer columns. Build: nvcc -arch=sm_80
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>

namespace column {

constexpr int kBlockValues = 128; // values per compressed block
constexpr int kWarpsPerCta = 4;
constexpr unsigned kFull = 0xffffffffu;

struct BlockHeader {
    int32_t first;
    uint32_t bits;       // width of one packed delta, 0..32
    uint32_t wordOffset; // into the packed stream
};

struct Column {
    const BlockHeader* headers;
    const uint32_t* packed;
    int blocks;
    int values;
};

__device__ __forceinline__ uint32_t unpack(const uint32_t* __restrict__ w, uint32_t idx,
                                           uint32_t bits)
{
    if (bits == 0)
        return 0u;
    const uint64_t bit = uint64_t(idx) * bits;
    const uint32_t word = uint32_t(bit >> 5);
    const uint32_t shift = uint32_t(bit & 31);
    uint64_t v = w[word];
    if (shift + bits > 32)
        v |= uint64_t(w[word + 1]) << 32;
    v >>= shift;
    return bits == 32 ? uint32_t(v) : uint32_t(v) & ((1u << bits) - 1u);
}

__device__ __forceinline__ int32_t zigzag(uint32_t v)
{
    return int32_t(v >> 1) ^ -int32_t(v & 1u);
}

__device__ __forceinline__ int32_t warpPrefix(int32_t v)
{
    const int lane = threadIdx.x & 31;
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        const int32_t u = __shfl_up_sync(kFull, v, d);
        if (lane >= d)
            v += u;
    }
    return v;
}

__global__ void __launch_bounds__(32 * kWarpsPerCta)
decodeKernel(Column col, int32_t* __restrict__ out)
{
    const int lane = threadIdx.x & 31;
    const int b = blockIdx.x * kWarpsPerCta + threadIdx.x / 32;
    if (b >= col.blocks)
        return;

    const BlockHeader h = col.headers[b];
    const uint32_t* words = col.packed + h.wordOffset;
    int32_t carry = h.first;
    for (int base = 0; base < kBlockValues; base += 32) {
        const int k = base + lane;
        const int g = b * kBlockValues + k;
        int32_t delta = 0;
        if (g < col.values && k > 0)
            delta = zigzag(unpack(words, k - 1, h.bits));
        const int32_t v = carry + warpPrefix(delta);
        if (g < col.values)
            out[g] = v;
        carry = __shfl_sync(kFull, v, 31);
    }
}

cudaError_t decodeColumn(const Column& col, int32_t* out, cudaStream_t s)
{
    if (col.blocks <= 0)
        return cudaSuccess;
    const int grid = (col.blocks + kWarpsPerCta - 1) / kWarpsPerCta;
    decodeKernel<<<grid, 32 * kWarpsPerCta, 0, s>>>(col, out);
    return cudaGetLastError();
}

} // namespace column
