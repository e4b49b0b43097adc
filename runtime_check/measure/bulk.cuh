// The last rung by the copy engine (sm_90): every warp keeps a ring of its own in shared memory filled with bulk copies, and
// adds what has arrived. No register waits for memory, so few warps keep many bytes in flight.
#pragma once

#include "wide.cuh"

#include <cuda_runtime.h>

namespace ladder {

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define LADDER_HAS_BULK 1

__device__ inline std::uint32_t shared_address(const void *p)
{
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

__device__ inline void barrier_init(std::uint64_t *barrier)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(barrier)) : "memory");
}

// Asks for `bytes` from `from`; `barrier` completes its phase when they are in `to`. One lane calls it.
__device__ inline void bulk_copy(void *to, const void *from, std::uint32_t bytes, std::uint64_t *barrier)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(to)),
                 "l"(from), "r"(bytes), "r"(shared_address(barrier))
                 : "memory");
}

__device__ inline void barrier_wait(std::uint64_t *barrier, std::uint32_t parity)
{
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@done bra finished;\n"
                 "bra again;\n"
                 "finished:\n"
                 "}" ::"r"(shared_address(barrier)),
                 "r"(parity)
                 : "memory");
}
#endif

// Bytes of dynamic shared memory that a block of bulk_loads needs.
constexpr std::size_t bulk_bytes(int block, int stages, int stage_bytes)
{
    return static_cast<std::size_t>(block / 32) * static_cast<std::size_t>(stages) * static_cast<std::size_t>(stage_bytes);
}

// A tile is what one warp copies at a time: StageBytes. The warps of the grid take tiles in turn.
template <int Block, int Stages, int StageBytes, finish Finish>
__global__ void __launch_bounds__(Block) bulk_loads(const float *__restrict__ in, std::size_t size, workspace work, int turn)
{
#ifdef LADDER_HAS_BULK
    extern __shared__ __align__(128) unsigned char ring[];
    __shared__ std::uint64_t full[Block / 32][Stages];
    constexpr std::size_t tile = StageBytes / sizeof(float);
    constexpr int vectors = StageBytes / 16 / 32;
    unsigned lane = threadIdx.x % 32;
    unsigned warp = threadIdx.x / 32;
    unsigned char *mine = ring + static_cast<std::size_t>(warp) * Stages * StageBytes;
    std::size_t tiles = size / tile;
    std::size_t step = static_cast<std::size_t>(gridDim.x) * (Block / 32);
    std::size_t first = static_cast<std::size_t>(blockIdx.x) * (Block / 32) + warp;
    if (lane == 0) {
        for (int stage = 0; stage < Stages; stage++)
            barrier_init(&full[warp][stage]);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        for (int stage = 0; stage < Stages && first + stage * step < tiles; stage++)
            bulk_copy(mine + stage * StageBytes, in + (first + stage * step) * tile, StageBytes, &full[warp][stage]);
    }
    __syncwarp();
    float sums[vectors] = {};
    int stage = 0;
    std::uint32_t parity = 0;
    for (std::size_t at = first; at < tiles; at += step) {
        barrier_wait(&full[warp][stage], parity);
        const float4 *arrived = reinterpret_cast<const float4 *>(mine + stage * StageBytes) + lane;
#pragma unroll
        for (int k = 0; k < vectors; k++)
            sums[k] += sum_of(arrived[k * 32]);
        __syncwarp();
        std::size_t next = at + Stages * step;
        if (lane == 0 && next < tiles)
            bulk_copy(mine + stage * StageBytes, in + next * tile, StageBytes, &full[warp][stage]);
        if (++stage == Stages) {
            stage = 0;
            parity ^= 1;
        }
    }
    float sum = sum_of_rest<Block>(in, tiles * tile, size);
#pragma unroll
    for (int k = 0; k < vectors; k++)
        sum += sums[k];
    finish_sum<Block, Finish>(sum, work, turn);
#endif
}

} // namespace ladder
