// The last rung of the reduction ladder: one launch, wide loads, many of them under way, shuffles, nothing to clear beforehand.
#pragma once

#include "load.cuh"

#include <cstddef>

namespace ladder {

constexpr unsigned full_mask = 0xffffffffu;

__device__ inline float warp_sum(float value)
{
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_down_sync(full_mask, value, offset);
    return value;
}

// The block's sum in thread 0, by shuffles within the warps and once more over the warps' sums.
template <int Block> __device__ float block_sum(float value)
{
    __shared__ float sums[32];
    unsigned lane = threadIdx.x % 32;
    unsigned warp = threadIdx.x / 32;
    value = warp_sum(value);
    if (lane == 0)
        sums[warp] = value;
    __syncthreads();
    if (warp == 0)
        value = warp_sum(lane < Block / 32 ? sums[lane] : 0.0f);
    return value;
}

// Launched so that it may overlap with the call before it (cudaLaunchAttributeProgrammaticStreamSerialization, sm_90), a call
// begins to read while the last blocks of that one end. Its input must not come from that call. Everything that calls share,
// where their sums go, is touched only behind wait_for_previous_call(). Launched as usual, both do nothing.
__device__ inline void let_next_call_begin()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Until the call before this one, and so all before that, has ended and what it wrote is seen.
__device__ inline void wait_for_previous_call()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// How the blocks' sums become one, without a second launch and without clearing anything beforehand.
enum class finish {
    // The block that finishes last adds all blocks' sums, in their order. Its ticket counter wraps to zero by itself
    // (atomicInc), so the next call finds it ready.
    last_block,
    // Every block adds its sum to one of two accumulators by an atomic; the other one is cleared for the next call.
    atomic,
};

// What the sum needs in device memory besides its input; all zero before the first call.
struct workspace {
    float *sums;      // [blocks], finish::last_block
    unsigned *ticket; // [1], finish::last_block
    float *results;   // [2]; last_block: results[0] is the sum; atomic: results[turn % 2]
    unsigned *queue;  // [2]; tiles handed out by queue[turn % 2], the other one is cleared for the next call
};

template <int Block> __device__ void finish_in_last_block(float sum, const workspace &work)
{
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        wait_for_previous_call();
        __stcg(work.sums + blockIdx.x, sum);
        __threadfence();
        is_last = atomicInc(work.ticket, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last)
        return;
    __threadfence();
    float total = 0.0f;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += Block)
        total += __ldcg(work.sums + i);
    total = block_sum<Block>(total);
    if (threadIdx.x == 0)
        work.results[0] = total;
}

__device__ inline void finish_by_atomic(float sum, const workspace &work, int turn)
{
    if (threadIdx.x != 0)
        return;
    wait_for_previous_call();
    if (blockIdx.x == 0)
        work.results[(turn + 1) % 2] = 0.0f;
    atomicAdd(work.results + turn % 2, sum);
}

template <int Block, finish Finish> __device__ void finish_sum(float sum, const workspace &work, int turn)
{
    sum = block_sum<Block>(sum);
    if constexpr (Finish == finish::last_block)
        finish_in_last_block<Block>(sum, work);
    else
        finish_by_atomic(sum, work, turn);
}

// Which tiles of the input a block takes: block b of B takes b, b + B, … (strided), or one piece (chunked).
enum class mapping { strided, chunked };

struct tile_range {
    std::size_t first, last, step;
};

__device__ inline tile_range tiles_of_block(mapping how, std::size_t tiles)
{
    if (how == mapping::strided)
        return {blockIdx.x, tiles, gridDim.x};
    return {tiles * blockIdx.x / gridDim.x, tiles * (blockIdx.x + 1) / gridDim.x, 1};
}

__device__ inline float sum_of(float4 v)
{
    return (v.x + v.y) + (v.z + v.w);
}

// What is left behind the last whole tile, from float number `first` on; the last block adds it.
template <int Block> __device__ float sum_of_rest(const float *in, std::size_t first, std::size_t size)
{
    float sum = 0.0f;
    if (blockIdx.x == gridDim.x - 1) {
        for (std::size_t i = first + threadIdx.x; i < size; i += Block)
            sum += in[i];
    }
    return sum;
}

// The last rung: a tile is Block × Loads vectors of four floats; all loads of a tile are under way at once.
// `in` lies on a 16-byte boundary; `size` counts floats and may be any number.
template <int Block, int Loads, load Load, finish Finish>
__global__ void __launch_bounds__(Block)
    wide_loads(const float *__restrict__ in, std::size_t size, mapping how, workspace work, int turn)
{
    constexpr std::size_t tile = static_cast<std::size_t>(Block) * Loads;
    std::size_t tiles = size / 4 / tile;
    let_next_call_begin(); // when the last block of this one has begun
    tile_range range = tiles_of_block(how, tiles);
    const float4 *vectors = reinterpret_cast<const float4 *>(in) + threadIdx.x;
    float sums[Loads] = {};
#pragma unroll 1
    for (std::size_t at = range.first; at < range.last; at += range.step) {
        float4 v[Loads];
#pragma unroll
        for (int k = 0; k < Loads; k++)
            v[k] = load_vector<Load>(vectors + at * tile + k * Block);
#pragma unroll
        for (int k = 0; k < Loads; k++)
            sums[k] += sum_of(v[k]);
    }
    float sum = sum_of_rest<Block>(in, tiles * tile * 4, size);
#pragma unroll
    for (int k = 0; k < Loads; k++)
        sum += sums[k];
    finish_sum<Block, Finish>(sum, work, turn);
}

// The number of the next tile that nobody has: blocks that take tiles in turn drift apart, and the memory serves a window of
// neighbouring addresses better than scattered ones. One thread calls it.
__device__ inline unsigned next_tile(const workspace &work, int turn)
{
    return gridDim.x + atomicAdd(work.queue + turn % 2, 1u);
}

__device__ inline void clear_next_queue(const workspace &work, int turn)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        work.queue[(turn + 1) % 2] = 0;
}

// As wide_loads, with the tiles handed out in order.
template <int Block, int Loads, load Load, finish Finish>
__global__ void __launch_bounds__(Block)
    queued_loads(const float *__restrict__ in, std::size_t size, workspace work, int turn)
{
    constexpr std::size_t tile = static_cast<std::size_t>(Block) * Loads;
    __shared__ unsigned next[2];
    unsigned tiles = static_cast<unsigned>(size / 4 / tile);
    const float4 *vectors = reinterpret_cast<const float4 *>(in) + threadIdx.x;
    float sums[Loads] = {};
    unsigned at = blockIdx.x;
    clear_next_queue(work, turn);
#pragma unroll 1
    for (int phase = 0; at < tiles; phase ^= 1) {
        float4 v[Loads];
#pragma unroll
        for (int k = 0; k < Loads; k++)
            v[k] = load_vector<Load>(vectors + at * tile + k * Block);
        if (threadIdx.x == 0)
            next[phase] = next_tile(work, turn);
#pragma unroll
        for (int k = 0; k < Loads; k++)
            sums[k] += sum_of(v[k]);
        __syncthreads();
        at = next[phase];
    }
    float sum = sum_of_rest<Block>(in, tiles * tile * 4, size);
#pragma unroll
    for (int k = 0; k < Loads; k++)
        sum += sums[k];
    finish_sum<Block, Finish>(sum, work, turn);
}

} // namespace ladder
