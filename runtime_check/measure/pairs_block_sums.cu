// shared-tail-to-shuffle: sums over blocks.
#include "pairs.h"
#include "sums.cuh"

namespace measure {

namespace {

enum class block_way { shared, shared_then_shuffles, shuffles_twice };

template <int Block, block_way Way> __device__ unsigned block_sum(unsigned value)
{
    __shared__ unsigned part[Block];
    unsigned t = threadIdx.x;
    if constexpr (Way == block_way::shuffles_twice) {
        value = sum_by_shuffles(value);
        if (t % 32 == 0)
            part[t / 32] = value;
        __syncthreads();
        value = sum_by_shuffles(t % 32 < Block / 32 ? part[t % 32] : 0);
        __syncthreads();
        return value;
    }
    constexpr unsigned end = Way == block_way::shared ? 0 : 16;
    part[t] = value;
    __syncthreads();
#pragma unroll
    for (unsigned stride = Block / 2; stride > end; stride /= 2) {
        if (t < stride)
            part[t] += part[t + stride];
        __syncthreads();
    }
    if constexpr (Way == block_way::shared_then_shuffles) {
        if (t < 32) {
            unsigned sum = sum_by_shuffles(part[t]);
            if (t == 0)
                part[0] = sum;
        }
        __syncthreads();
    }
    value = part[0];
    __syncthreads();
    return value;
}

template <int Block, block_way Way> __global__ void sum_blocks(unsigned *out, const unsigned *in)
{
    unsigned i = blockIdx.x * Block + threadIdx.x;
    unsigned value = in[i];
#pragma unroll 1
    for (int round = 0; round < rounds; round++)
        value += block_sum<Block, Way>(value);
    out[i] = value;
}

template <int Block, block_way Way>
side block_side(const char *role, const char *what, unsigned blocks, unsigned *out, const unsigned *in)
{
    return {role, what,
            [=](cudaStream_t s) { sum_blocks<Block, Way><<<blocks, Block, 0, s>>>(out, in); }};
}

template <int Block> void measure_blocks(const options &given)
{
    const unsigned blocks = given.quick ? 4 : (1u << 20) / Block;
    std::vector<unsigned> words = random_words(static_cast<std::size_t>(blocks) * Block);
    std::vector<unsigned> expected = sums_on_processor(words, Block);
    device_array<unsigned> in(words);
    device_array<unsigned> out(words.size());
    run_experiment(
        {"shared-tail-to-shuffle",
         "sum of a block of " + std::to_string(Block),
         words.size(),
         0,
         {block_side<Block, block_way::shared>("slow", "tree in shared memory to the end", blocks, out.get(), in.get()),
          block_side<Block, block_way::shared_then_shuffles>("fast", "the last 32 by shuffles", blocks, out.get(), in.get()),
          block_side<Block, block_way::shuffles_twice>("fast", "shuffles in every warp, then over the warps", blocks, out.get(),
                                                       in.get())},
         [&] { out.clear(); },
         [&] { return out.content() == expected; }},
        given);
}

} // namespace

void measure_block_sums(const options &given)
{
    measure_blocks<256>(given);
    measure_blocks<1024>(given);
}

} // namespace measure
