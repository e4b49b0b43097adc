// Compares pairs of strings, four lanes for each pair.
#include <cuda_runtime.h>
#include <cstdint>

struct StringColumn {
    const char *chars;
    const int *offsets;  // count + 1 entries
};

__device__ __forceinline__ unsigned quad_mask()
{
    return 0xfu << ((threadIdx.x & 31) & ~3);
}

__global__ void compare_columns(StringColumn a, StringColumn b, int count, int8_t *result)
{
    const int pair = (blockIdx.x * blockDim.x + threadIdx.x) >> 2;
    if (pair >= count)
        return;
    const int sub = threadIdx.x & 3;
    const int shift = (threadIdx.x & 31) & ~3;
    const unsigned mask = quad_mask();

    const int a0 = a.offsets[pair], la = a.offsets[pair + 1] - a0;
    const int b0 = b.offsets[pair], lb = b.offsets[pair + 1] - b0;
    const int common = min(la, lb);

    int verdict = (la > lb) - (la < lb);
    for (int base = 0; base < common; base += 4) {
        const int pos = base + sub;
        int diff = 0;
        if (pos < common)
            diff = static_cast<int>(static_cast<unsigned char>(a.chars[a0 + pos])) -
                   static_cast<int>(static_cast<unsigned char>(b.chars[b0 + pos]));
        const unsigned differing = __ballot_sync(mask, diff != 0) >> shift;
        const int first = __ffs(differing & 0xfu) - 1;
        if (first >= 0) {
            const int d = __shfl_sync(mask, diff, first, 4);
            verdict = (d > 0) - (d < 0);
            break;
        }
    }
    if (sub == 0)
        result[pair] = static_cast<int8_t>(verdict);
}

bool compare(const StringColumn &a, const StringColumn &b, int count, int8_t *result,
             cudaStream_t s)
{
    if (count < 0 || count > 100000000 || !result)
        return false;
    if (count == 0)
        return true;
    constexpr int block = 192;
    const int pairs_per_block = block / 4;
    const int grid = (count + pairs_per_block - 1) / pairs_per_block;
    compare_columns<<<grid, block, 0, s>>>(a, b, count, result);
    return cudaPeekAtLastError() == cudaSuccess;
}
