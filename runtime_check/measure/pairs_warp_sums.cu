// shuffle-tree-to-reduce, and what correcting a racing sum over a warp costs.
#include "hazards.cuh"
#include "pairs.h"
#include "sums.cuh"

namespace measure {

namespace {

__device__ unsigned sum_by_reduce(unsigned value)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(full_mask, value);
#else
    return sum_by_shuffles(value);
#endif
}

// Each lane keeps its own sum in a register: read, order, write, order.
__device__ unsigned sum_with_two_syncwarps(unsigned *part, unsigned lane)
{
    unsigned sum = part[lane];
    for (unsigned offset = 16; offset > 0; offset /= 2) {
        sum += part[(lane + offset) % 32];
        __syncwarp();
        part[lane] = sum;
        __syncwarp();
    }
    return sum;
}

enum class warp_way { lock_step, one_syncwarp, two_syncwarps, shuffles, reduce };

template <warp_way Way> __device__ unsigned warp_sum(unsigned value, unsigned *part, unsigned lane)
{
    if constexpr (Way == warp_way::shuffles)
        return sum_by_shuffles(value);
    if constexpr (Way == warp_way::reduce)
        return sum_by_reduce(value);
    part[lane] = value;
    __syncwarp();
    unsigned sum = 0;
    if constexpr (Way == warp_way::lock_step)
        sum = hazard::sum_in_lock_step(part, lane);
    if constexpr (Way == warp_way::one_syncwarp)
        sum = hazard::sum_with_one_syncwarp(part, lane);
    if constexpr (Way == warp_way::two_syncwarps)
        sum = sum_with_two_syncwarps(part, lane);
    __syncwarp();
    return sum;
}

constexpr int block = 256;

// Round after round: every lane's value becomes itself plus its warp's sum of the values.
template <warp_way Way> __global__ void sum_warps(unsigned *out, const unsigned *in)
{
    __shared__ unsigned parts[block];
    unsigned i = blockIdx.x * block + threadIdx.x;
    unsigned lane = threadIdx.x % 32;
    unsigned value = in[i];
#pragma unroll 1
    for (int round = 0; round < rounds; round++)
        value += warp_sum<Way>(value, parts + threadIdx.x / 32 * 32, lane);
    out[i] = value;
}

template <warp_way Way> side warp_side(const char *role, const char *what, unsigned blocks, unsigned *out, const unsigned *in)
{
    return {role, what, [=](cudaStream_t s) { sum_warps<Way><<<blocks, block, 0, s>>>(out, in); }};
}

} // namespace

void measure_warp_sums(const options &given)
{
    const unsigned blocks = given.quick ? 4 : 1u << 14;
    std::vector<unsigned> words = random_words(static_cast<std::size_t>(blocks) * block);
    std::vector<unsigned> expected = sums_on_processor(words, 32);
    device_array<unsigned> in(words);
    device_array<unsigned> out(words.size());
    auto reset = [&] { out.clear(); };
    auto is_right = [&] { return out.content() == expected; };
    run_experiment({"shuffle-tree-to-reduce",
                    "integer sum of a warp",
                    words.size(),
                    0,
                    {warp_side<warp_way::shuffles>("slow", "shuffle tree", blocks, out.get(), in.get()),
                     warp_side<warp_way::reduce>("fast", "__reduce_add_sync()", blocks, out.get(), in.get())},
                    reset,
                    is_right},
                   given);
    run_experiment(
        {"implicit-warp-sync",
         "integer sum of a warp",
         words.size(),
         0,
         {warp_side<warp_way::lock_step>("hazard", "volatile, in lock step", blocks, out.get(), in.get()),
          warp_side<warp_way::one_syncwarp>("hazard", "one __syncwarp() a step", blocks, out.get(), in.get()),
          warp_side<warp_way::two_syncwarps>("corrected", "two __syncwarp() a step", blocks, out.get(), in.get()),
          warp_side<warp_way::shuffles>("corrected", "shuffle tree", blocks, out.get(), in.get())},
         reset,
         is_right},
        given);
}

} // namespace measure
