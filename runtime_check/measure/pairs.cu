#include "pairs.h"

#include "input.h"

namespace measure {

void run_experiment(const experiment &what, const options &given)
{
    if (!given.wants(what.rule))
        return;
    effort how = given.quick ? effort{3, 1e-4} : effort{21, 2e-3};
    for (const side &one : what.sides) {
        what.reset();
        one.call(nullptr);
        MEASURE_CHECK(cudaGetLastError());
        MEASURE_CHECK(cudaDeviceSynchronize());
        bool right = what.is_right();
        timing time = time_in_a_row([&](int, cudaStream_t stream) { one.call(stream); }, 2, how);
        write_record({"pair", what.rule, what.title, one.role + ": " + one.what, what.size, what.bytes, time, right});
    }
}

std::vector<unsigned> random_words(std::size_t size)
{
    std::vector<unsigned> words(size);
    for (std::size_t i = 0; i < size; i++)
        words[i] = static_cast<unsigned>(element(7, i) + 127);
    return words;
}

void measure_pairs(const options &given)
{
    measure_divergence(given);
    measure_banks(given);
    measure_barriers(given);
    measure_warp_sums(given);
    measure_block_sums(given);
    measure_atomics(given);
    measure_access(given);
}

} // namespace measure
