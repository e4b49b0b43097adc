// redundant-barrier and barrier-wider-than-needed.
#include "pairs.h"

#include <algorithm>

namespace measure {

namespace {

constexpr int steps = 256;

// Each thread adds its neighbours' values, step after step, over two buffers in turn. One barrier for each step orders both
// its reads behind the writes of the step before and its writes behind the reads of the step before that.
template <int Block, int Barriers> __global__ void exchange_neighbours(unsigned *out, const unsigned *in)
{
    __shared__ unsigned values[2][Block];
    unsigned t = threadIdx.x;
    unsigned i = blockIdx.x * Block + t;
    values[0][t] = in[i];
    __syncthreads();
    for (int step = 0; step < steps; step++) {
        const unsigned *from = values[step % 2];
        values[(step + 1) % 2][t] = from[(t + 1) % Block] + from[(t + Block - 1) % Block];
        for (int k = 0; k < Barriers; k++)
            __syncthreads();
    }
    out[i] = values[steps % 2][t];
}

// The lanes of a warp exchange values through memory that only the warp uses.
template <int Block, bool WholeBlock> __global__ void exchange_in_warp(unsigned *out, const unsigned *in)
{
    __shared__ unsigned values[Block];
    unsigned t = threadIdx.x;
    unsigned i = blockIdx.x * Block + t;
    unsigned sum = in[i];
    for (unsigned step = 0; step < steps; step++) {
        values[t] = sum;
        if constexpr (WholeBlock)
            __syncthreads();
        else
            __syncwarp();
        sum += values[t ^ (1u << (step % 5))];
        if constexpr (WholeBlock)
            __syncthreads();
        else
            __syncwarp();
    }
    out[i] = sum;
}

std::vector<unsigned> neighbours_on_processor(std::vector<unsigned> values, unsigned block)
{
    for (std::size_t first = 0; first < values.size(); first += block) {
        std::vector<unsigned> now(values.begin() + static_cast<std::ptrdiff_t>(first),
                                  values.begin() + static_cast<std::ptrdiff_t>(first + block));
        for (int step = 0; step < steps; step++) {
            std::vector<unsigned> old = now;
            for (unsigned t = 0; t < block; t++)
                now[t] = old[(t + 1) % block] + old[(t + block - 1) % block];
        }
        std::copy(now.begin(), now.end(), values.begin() + static_cast<std::ptrdiff_t>(first));
    }
    return values;
}

std::vector<unsigned> warps_on_processor(std::vector<unsigned> values)
{
    for (unsigned step = 0; step < steps; step++) {
        std::vector<unsigned> old = values;
        for (std::size_t i = 0; i < values.size(); i++)
            values[i] += old[i ^ (std::size_t{1} << (step % 5))];
    }
    return values;
}

// The last block's values are compared: all blocks run the same code on other data.
template <class Expect>
void measure_exchange(const options &given, const char *rule, unsigned block, std::vector<side> (*sides)(unsigned blocks, unsigned *out, const unsigned *in), Expect expect)
{
    const unsigned blocks = given.quick ? 4 : (1u << 21) / block;
    std::vector<unsigned> words = random_words(static_cast<std::size_t>(blocks) * block);
    device_array<unsigned> in(words);
    device_array<unsigned> out(words.size());
    std::vector<unsigned> last(words.end() - static_cast<std::ptrdiff_t>(block), words.end());
    std::vector<unsigned> expected = expect(last);
    auto is_right = [&] {
        std::vector<unsigned> got = out.content();
        return std::equal(expected.begin(), expected.end(), got.end() - static_cast<std::ptrdiff_t>(block));
    };
    run_experiment({rule, "blocks of " + std::to_string(block), words.size(), 0, sides(blocks, out.get(), in.get()), [&] { out.clear(); }, is_right}, given);
}

template <int Block> std::vector<side> neighbour_sides(unsigned blocks, unsigned *out, const unsigned *in)
{
    return {{"slow", "two barriers a step",
             [=](cudaStream_t s) { exchange_neighbours<Block, 2><<<blocks, Block, 0, s>>>(out, in); }},
            {"fast", "one barrier a step",
             [=](cudaStream_t s) { exchange_neighbours<Block, 1><<<blocks, Block, 0, s>>>(out, in); }}};
}

template <int Block> std::vector<side> warp_sides(unsigned blocks, unsigned *out, const unsigned *in)
{
    return {{"slow", "__syncthreads()",
             [=](cudaStream_t s) { exchange_in_warp<Block, true><<<blocks, Block, 0, s>>>(out, in); }},
            {"fast", "__syncwarp()",
             [=](cudaStream_t s) { exchange_in_warp<Block, false><<<blocks, Block, 0, s>>>(out, in); }}};
}

template <int Block> void measure_block(const options &given)
{
    measure_exchange(given, "redundant-barrier", Block, neighbour_sides<Block>,
                     [](const std::vector<unsigned> &values) { return neighbours_on_processor(values, Block); });
    measure_exchange(given, "barrier-wider-than-needed", Block, warp_sides<Block>, warps_on_processor);
}

} // namespace

void measure_barriers(const options &given)
{
    measure_block<128>(given);
    measure_block<256>(given);
    measure_block<1024>(given);
}

} // namespace measure
