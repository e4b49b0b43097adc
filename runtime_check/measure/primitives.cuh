// Three primitives that are built on the reduction of a warp: the sums of segments, the inclusive scan, and a
// histogram whose warps agree on their atomics. Each is right under independent thread scheduling: a shuffle, vote or
// match is called by all lanes of its full mask, and every other exchange lies behind a block barrier or is an atomic
// with an order.
#pragma once

#include <cuda/atomic>

#include <cstddef>

namespace primitives {

constexpr unsigned full_mask = 0xffffffffu;
constexpr int warp_lanes = 32;

__device__ inline float sum_of_warp(float value)
{
#pragma unroll
    for (int offset = warp_lanes / 2; offset > 0; offset /= 2)
        value += __shfl_xor_sync(full_mask, value, offset);
    return value;
}

__device__ inline float inclusive_scan_of_warp(float value, unsigned lane)
{
#pragma unroll
    for (unsigned offset = 1; offset < warp_lanes; offset *= 2) {
        float below = __shfl_up_sync(full_mask, value, offset);
        if (lane >= offset)
            value += below;
    }
    return value;
}

// ---- sums of segments ----

__device__ inline float sum_of(float4 v)
{
    return (v.x + v.y) + (v.z + v.w);
}

// What thread `t` of `Threads` adds of in[first, last): single elements up to a multiple of four, then vectors, four
// of them under way, then the rest. `in` is aligned to 16 bytes.
template <int Threads>
__device__ float part_of_segment(const float *in, std::size_t first, std::size_t last, unsigned t)
{
    std::size_t whole = (first + 3) / 4 * 4;
    std::size_t behind = last / 4 * 4;
    float sum = 0.0f;
    if (whole >= behind) {
        for (std::size_t i = first + t; i < last; i += Threads)
            sum += in[i];
        return sum;
    }
    if (first + t < whole)
        sum += in[first + t];
    if (behind + t < last)
        sum += in[behind + t];
    const float4 *vectors = reinterpret_cast<const float4 *>(in);
    std::size_t i = whole / 4 + t;
    std::size_t end = behind / 4;
    float sums[4] = {};
    for (; i + 3 * Threads < end; i += 4 * Threads) {
        float4 v[4];
#pragma unroll
        for (int k = 0; k < 4; k++)
            v[k] = __ldcs(vectors + i + k * Threads);
#pragma unroll
        for (int k = 0; k < 4; k++)
            sums[k] += sum_of(v[k]);
    }
    for (; i < end; i += Threads)
        sum += sum_of(__ldcs(vectors + i));
    return sum + (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// A warp for each segment: no barrier, no shared memory.
template <int Block>
__global__ void sum_segments_by_warp(float *out, const float *in, const int *begins, int segments)
{
    int segment = static_cast<int>(blockIdx.x * (Block / warp_lanes) + threadIdx.x / warp_lanes);
    unsigned lane = threadIdx.x % warp_lanes;
    if (segment >= segments)
        return; // the whole warp
    float sum = part_of_segment<warp_lanes>(in, static_cast<std::size_t>(begins[segment]),
                                            static_cast<std::size_t>(begins[segment + 1]), lane);
    sum = sum_of_warp(sum);
    if (lane == 0)
        out[segment] = sum;
}

// A block for each segment.
template <int Block> __global__ void sum_segments_by_block(float *out, const float *in, const int *begins)
{
    __shared__ float sums[Block / warp_lanes];
    unsigned lane = threadIdx.x % warp_lanes;
    float sum = part_of_segment<Block>(in, static_cast<std::size_t>(begins[blockIdx.x]),
                                       static_cast<std::size_t>(begins[blockIdx.x + 1]), threadIdx.x);
    sum = sum_of_warp(sum);
    if (lane == 0)
        sums[threadIdx.x / warp_lanes] = sum;
    __syncthreads();
    if (threadIdx.x < warp_lanes) {
        sum = sum_of_warp(lane < Block / warp_lanes ? sums[lane] : 0.0f);
        if (lane == 0)
            out[blockIdx.x] = sum;
    }
}

// ---- inclusive scan in one pass ----

// The published state of a tile: nothing yet, the tile's own sum, or the sum of it and all tiles before. State and
// value share one word, so that who reads the state has the value, and no fence is needed. The method is the
// decoupled look-back of Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016.
enum class tile_state : unsigned { empty = 0, sum = 1, prefix = 2 };

using tile_word = unsigned long long;

__device__ inline tile_word word_of(tile_state state, float value)
{
    return static_cast<tile_word>(static_cast<unsigned>(state)) << 32 | __float_as_uint(value);
}

__device__ inline void publish(tile_word *tiles, unsigned tile, tile_state state, float value)
{
    cuda::atomic_ref<tile_word, cuda::thread_scope_device> word(tiles[tile]);
    word.store(word_of(state, value), cuda::memory_order_relaxed);
}

__device__ inline tile_word wait_for_tile(tile_word *tiles, unsigned tile)
{
    cuda::atomic_ref<tile_word, cuda::thread_scope_device> word(tiles[tile]);
    tile_word seen = word.load(cuda::memory_order_relaxed);
    while (seen >> 32 == 0)
        seen = word.load(cuda::memory_order_relaxed);
    return seen;
}

// The sum of all elements before `tile`; called by a whole warp. Each round looks at the 32 tiles before those of the
// last one.
__device__ inline float sum_before_tile(tile_word *tiles, unsigned tile, unsigned lane)
{
    float sum = 0.0f;
    for (unsigned end = tile; end > 0; end -= warp_lanes) {
        // Lane 31 has the nearest tile; a lane before the first tile has a prefix of nothing.
        tile_word word = end + lane >= warp_lanes ? wait_for_tile(tiles, end + lane - warp_lanes)
                                                  : static_cast<tile_word>(tile_state::prefix) << 32;
        unsigned known = __ballot_sync(full_mask, word >> 32 == static_cast<unsigned>(tile_state::prefix));
        unsigned nearest = known ? 31u - static_cast<unsigned>(__clz(static_cast<int>(known))) : 0u;
        sum += sum_of_warp(lane >= nearest ? __uint_as_float(static_cast<unsigned>(word)) : 0.0f);
        if (known)
            break;
    }
    return sum;
}

// Vectors of four that each thread of the scan has in registers.
constexpr int scan_vectors = 4;

template <int Block> constexpr int scan_tile = Block * 4 * scan_vectors;

// `ticket` and `tiles` are zero when the call begins. A block takes the next tile when it starts, so the tiles that
// it waits for belong to blocks that have started. `size` is a multiple of four.
template <int Block>
__global__ void __launch_bounds__(Block)
    scan(float *out, const float *in, std::size_t size, unsigned *ticket, tile_word *tiles)
{
    constexpr int warps = Block / warp_lanes;
    __shared__ unsigned taken;
    __shared__ float before_warp[warps];
    unsigned lane = threadIdx.x % warp_lanes;
    unsigned warp = threadIdx.x / warp_lanes;
    if (threadIdx.x == 0)
        taken = atomicAdd(ticket, 1u);
    __syncthreads();
    unsigned tile = taken;
    // A warp has a row of vectors of its own, one vector of each row for a lane.
    std::size_t first =
        static_cast<std::size_t>(tile) * (scan_tile<Block> / 4) + warp * (warp_lanes * scan_vectors) + lane;
    const float4 *vectors = reinterpret_cast<const float4 *>(in);
    float4 v[scan_vectors];
#pragma unroll
    for (int k = 0; k < scan_vectors; k++)
        v[k] = (first + k * warp_lanes) * 4 < size ? __ldcs(vectors + first + k * warp_lanes) : float4{};
    float carry = 0.0f;
#pragma unroll
    for (int k = 0; k < scan_vectors; k++) {
        v[k].y += v[k].x;
        v[k].z += v[k].y;
        v[k].w += v[k].z;
        float up_to = inclusive_scan_of_warp(v[k].w, lane);
        float before = carry + (up_to - v[k].w);
        carry += __shfl_sync(full_mask, up_to, warp_lanes - 1);
        v[k] = {v[k].x + before, v[k].y + before, v[k].z + before, v[k].w + before};
    }
    if (lane == 0)
        before_warp[warp] = carry;
    __syncthreads();
    if (warp == 0) {
        float own = lane < warps ? before_warp[lane] : 0.0f;
        float up_to = inclusive_scan_of_warp(own, lane);
        float whole = __shfl_sync(full_mask, up_to, warp_lanes - 1);
        if (lane == 0)
            publish(tiles, tile, tile == 0 ? tile_state::prefix : tile_state::sum, whole);
        float before = sum_before_tile(tiles, tile, lane);
        if (lane == 0 && tile != 0)
            publish(tiles, tile, tile_state::prefix, before + whole);
        if (lane < warps)
            before_warp[lane] = before + (up_to - own);
    }
    __syncthreads();
    float before = before_warp[warp];
    float4 *results = reinterpret_cast<float4 *>(out);
#pragma unroll
    for (int k = 0; k < scan_vectors; k++) {
        if ((first + k * warp_lanes) * 4 < size)
            __stcs(results + first + k * warp_lanes,
                   float4{v[k].x + before, v[k].y + before, v[k].z + before, v[k].w + before});
    }
}

// ---- histogram ----

// The bin of an input element (input.h): 255 bins, one for each value, or a few bins of many values.
template <int Bins> __device__ unsigned bin_of(float value)
{
    unsigned number = static_cast<unsigned>(static_cast<int>(value * 128.0f) + 127);
    return number * Bins / 255u;
}

enum class counting { by_thread, by_match };

// One more in the bin, for every lane of the warp: an atomic of each lane, or one of the first lane of those with
// that bin.
template <counting Way> __device__ void count(unsigned *bins, unsigned bin, unsigned lane)
{
    if constexpr (Way == counting::by_thread) {
        atomicAdd(bins + bin, 1u);
    } else {
        unsigned same = __match_any_sync(full_mask, bin);
        if (lane == static_cast<unsigned>(__ffs(static_cast<int>(same))) - 1)
            atomicAdd(bins + bin, static_cast<unsigned>(__popc(same)));
    }
}

// Every warp counts in shared memory of its own; the block adds what its warps have counted. `size` is a multiple of
// 128, so that a warp has vectors for all of its lanes or for none. `total` is zero when the call begins.
template <int Block, int Bins, counting Way>
__global__ void __launch_bounds__(Block) histogram(unsigned *total, const float *in, std::size_t size)
{
    constexpr int warps = Block / warp_lanes;
    __shared__ unsigned counts[warps][Bins];
    unsigned lane = threadIdx.x % warp_lanes;
    unsigned *own = counts[threadIdx.x / warp_lanes];
    for (unsigned i = threadIdx.x; i < warps * Bins; i += Block)
        counts[i / Bins][i % Bins] = 0;
    __syncthreads();
    const float4 *vectors = reinterpret_cast<const float4 *>(in);
    std::size_t warps_of_grid = static_cast<std::size_t>(gridDim.x) * warps;
    std::size_t rows = size / 4 / warp_lanes;
#pragma unroll 4
    for (std::size_t row = static_cast<std::size_t>(blockIdx.x) * warps + threadIdx.x / warp_lanes; row < rows;
         row += warps_of_grid) {
        float4 v = __ldcs(vectors + row * warp_lanes + lane);
        count<Way>(own, bin_of<Bins>(v.x), lane);
        count<Way>(own, bin_of<Bins>(v.y), lane);
        count<Way>(own, bin_of<Bins>(v.z), lane);
        count<Way>(own, bin_of<Bins>(v.w), lane);
    }
    __syncthreads();
    for (unsigned bin = threadIdx.x; bin < Bins; bin += Block) {
        unsigned sum = 0;
        for (int warp = 0; warp < warps; warp++)
            sum += counts[warp][bin];
        if (sum)
            atomicAdd(total + bin, sum);
    }
}

} // namespace primitives
