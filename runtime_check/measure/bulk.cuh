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

__device__ inline void barrier_init(std::uint64_t *barrier, std::uint32_t arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}

__device__ inline void barrier_arrive(std::uint64_t *barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
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
            barrier_init(&full[warp][stage], 1);
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

// The ring of a whole block: one warp more than the `Block` threads that add fills it, with tiles handed out in order.
template <int Stages> struct block_ring {
    std::uint64_t full[Stages];  // what is in the stage has arrived
    std::uint64_t empty[Stages]; // all warps have taken it
    bool is_last[Stages];        // nothing is in the stage, nor will be
};

#ifdef LADDER_HAS_BULK
// One thread. Two tiles are asked of the queue ahead of time: its answer takes as long as a memory access.
template <int Stages, int StageBytes>
__device__ void fill_ring(block_ring<Stages> &ring, unsigned char *bytes, const float *in, unsigned tiles, const workspace &work,
                          int turn)
{
    unsigned at = blockIdx.x;
    unsigned second = next_tile(work, turn);
    unsigned third = next_tile(work, turn);
    for (unsigned k = 0;; k++) {
        unsigned stage = k % Stages;
        unsigned round = k / Stages;
        if (round > 0)
            barrier_wait(&ring.empty[stage], (round - 1) % 2);
        ring.is_last[stage] = at >= tiles;
        if (at >= tiles) {
            barrier_arrive(&ring.full[stage]);
            return;
        }
        bulk_copy(bytes + stage * StageBytes, in + static_cast<std::size_t>(at) * (StageBytes / sizeof(float)), StageBytes,
                  &ring.full[stage]);
        at = second;
        second = third;
        third = next_tile(work, turn);
    }
}

template <int Block, int Stages, int StageBytes>
__device__ float sum_of_ring(block_ring<Stages> &ring, const unsigned char *bytes)
{
    constexpr int vectors = StageBytes / 16 / Block;
    float sums[vectors] = {};
    for (unsigned k = 0;; k++) {
        unsigned stage = k % Stages;
        barrier_wait(&ring.full[stage], k / Stages % 2);
        if (ring.is_last[stage])
            break;
        const float4 *arrived = reinterpret_cast<const float4 *>(bytes + stage * StageBytes) + threadIdx.x;
#pragma unroll
        for (int j = 0; j < vectors; j++)
            sums[j] += sum_of(arrived[j * Block]);
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            barrier_arrive(&ring.empty[stage]);
    }
    float sum = 0.0f;
#pragma unroll
    for (int j = 0; j < vectors; j++)
        sum += sums[j];
    return sum;
}
#endif

template <int Block, int Stages, int StageBytes, finish Finish>
__global__ void __launch_bounds__(Block + 32)
    queued_bulk(const float *__restrict__ in, std::size_t size, workspace work, int turn)
{
#ifdef LADDER_HAS_BULK
    extern __shared__ __align__(128) unsigned char bytes[];
    __shared__ block_ring<Stages> ring;
    constexpr std::size_t tile = StageBytes / sizeof(float);
    unsigned tiles = static_cast<unsigned>(size / tile);
    clear_next_queue(work, turn);
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < Stages; stage++) {
            barrier_init(&ring.full[stage], 1);
            barrier_init(&ring.empty[stage], Block / 32);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    float sum = 0.0f;
    if (threadIdx.x < Block)
        sum = sum_of_ring<Block, Stages, StageBytes>(ring, bytes);
    else if (threadIdx.x == Block)
        fill_ring<Stages, StageBytes>(ring, bytes, in, tiles, work, turn);
    __syncwarp();
    sum += sum_of_rest<Block + 32>(in, tiles * tile, size);
    finish_sum<Block + 32, Finish>(sum, work, turn);
#endif
}

} // namespace ladder
