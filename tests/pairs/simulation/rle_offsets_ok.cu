// Output offsets for run-length decoding: single-pass chained scan. Build: nvcc -arch=sm_80
#include <cuda_runtime.h>
#include <cstdio>

#define TRY(x)                           \
    do {                                 \
        const cudaError_t e_ = (x);      \
        if (e_ != cudaSuccess) return e_; \
    } while (0)

namespace rle {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;

struct ChainState {
    unsigned* ticket;
    unsigned* ready;
    volatile unsigned* inclusive;
};

__device__ unsigned blockExclusive(unsigned v, unsigned* s_warp, unsigned& total)
{
    const int lane = threadIdx.x & 31;
    const int wid = threadIdx.x >> 5;
    unsigned x = v;
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        const unsigned u = __shfl_up_sync(0xffffffffu, x, d);
        if (lane >= d)
            x += u;
    }
    if (lane == 31)
        s_warp[wid] = x;
    __syncthreads();
    unsigned before = 0, sum = 0;
    for (int w = 0; w < kWarps; ++w) {
        if (w < wid)
            before += s_warp[w];
        sum += s_warp[w];
    }
    total = sum;
    return before + x - v;
}

__device__ void publish(const ChainState& c, unsigned tile, unsigned value)
{
    c.inclusive[tile] = value;
    __threadfence();
    atomicExch(&c.ready[tile], 1u);
}

__device__ unsigned waitFor(const ChainState& c, unsigned tile)
{
    while (atomicAdd(&c.ready[tile], 0u) == 0u)
        __nanosleep(20);
    __threadfence();
    return c.inclusive[tile];
}

__global__ void __launch_bounds__(kThreads)
chainedOffsets(const unsigned* __restrict__ runLength, unsigned* __restrict__ offset, int n,
               ChainState chain)
{
    __shared__ unsigned s_warp[kWarps];
    __shared__ unsigned s_tile;
    __shared__ unsigned s_prefix;

    if (threadIdx.x == 0)
        s_tile = atomicAdd(chain.ticket, 1u);
    __syncthreads();
    const unsigned tile = s_tile;
    const int i = int(tile) * kThreads + threadIdx.x;

    unsigned total;
    const unsigned excl = blockExclusive(i < n ? runLength[i] : 0u, s_warp, total);
    if (threadIdx.x == 0) {
        const unsigned prefix = tile == 0 ? 0u : waitFor(chain, tile - 1);
        publish(chain, tile, prefix + total);
        s_prefix = prefix;
    }
    __syncthreads();
    if (i < n)
        offset[i] = s_prefix + excl;
}

// scratch: 1 + 2 * tiles words
cudaError_t runOffsets(const unsigned* runLength, unsigned* offset, int n, unsigned* scratch,
                       cudaStream_t s)
{
    const int tiles = (n + kThreads - 1) / kThreads;
    if (tiles == 0)
        return cudaSuccess;
    TRY(cudaMemsetAsync(scratch, 0, (1 + 2 * size_t(tiles)) * sizeof(unsigned), s));
    ChainState c{scratch, scratch + 1, scratch + 1 + tiles};
    chainedOffsets<<<tiles, kThreads, 0, s>>>(runLength, offset, n, c);
    return cudaGetLastError();
}

} // namespace rle
