// What the experiments on sums over warps and blocks share: each adds a sum to every value, a number of rounds.
#pragma once

#include <cstddef>
#include <vector>

namespace measure {

constexpr unsigned full_mask = 0xffffffffu;
constexpr int rounds = 64;

__device__ inline unsigned sum_by_shuffles(unsigned value)
{
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_xor_sync(full_mask, value, offset);
    return value;
}

// The same on the processor, for groups of so many values.
inline std::vector<unsigned> sums_on_processor(std::vector<unsigned> values, std::size_t group)
{
    for (std::size_t first = 0; first < values.size(); first += group) {
        for (int round = 0; round < rounds; round++) {
            unsigned sum = 0;
            for (std::size_t i = first; i < first + group; i++)
                sum += values[i];
            for (std::size_t i = first; i < first + group; i++)
                values[i] += sum;
        }
    }
    return values;
}

} // namespace measure
