#include <cuda_runtime.h>
#include <algorithm>
#include <cassert>

#define FULL 0xffffffffu

// Prefix sums of short rows of a ragged array, four lanes to a row.
__global__ void ragged_scan(const int *offsets, int rows, const int *in, int *out)
{
    const int lane = threadIdx.x & 31;
    const int sub = lane & 3;
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 4;

    int begin = 0, end = 0;
    if (row < rows) {
        begin = offsets[row];
        end = offsets[row + 1];
    }

    // rounds of the longest row in this warp: the same for all 32 lanes
    int rounds = (end - begin + 3) / 4;
    for (int d = 16; d; d >>= 1)
        rounds = max(rounds, __shfl_xor_sync(FULL, rounds, d));

    int carry = 0;
    for (int k = 0; k < rounds; ++k) {
        const int i = begin + 4 * k + sub;
        int v = i < end ? in[i] : 0;
        for (int d = 1; d < 4; d *= 2) {
            const int left = __shfl_up_sync(FULL, v, d, 4);
            if (sub >= d)
                v += left;
        }
        v += carry;
        if (i < end)
            out[i] = v;
        carry = __shfl_sync(FULL, v, 3, 4);
    }
}

template <int Threads>
struct RaggedScan {
    static_assert(Threads % 32 == 0, "whole warps");

    cudaError_t operator()(const int *offsets, int rows, const int *in, int *out,
                           cudaStream_t stream = nullptr) const
    {
        assert(rows >= 0 && rows < (1 << 28));
        if (rows <= 0 || rows >= (1 << 28))
            return rows == 0 ? cudaSuccess : cudaErrorInvalidValue;
        const int per_block = Threads / 4;
        ragged_scan<<<(rows + per_block - 1) / per_block, Threads, 0, stream>>>(offsets, rows, in,
                                                                               out);
        return cudaGetLastError();
    }
};

cudaError_t scan_rows(const int *offsets, int rows, const int *in, int *out, cudaStream_t s)
{
    return RaggedScan<128>()(offsets, rows, in, out, s);
}
