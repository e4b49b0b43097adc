// Experiments: the same result computed in several ways.
#pragma once

#include "bench.h"
#include "device_array.h"
#include "suites.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace measure {

// One way to compute the result. `role` is "slow" for what a rule finds, "fast" for what it advises, "hazard" for code
// that is wrong and "corrected" for code that is right; a number of sides may share a role.
struct side {
    std::string role;
    std::string what;
    std::function<void(cudaStream_t)> call;
};

struct experiment {
    std::string rule;  // whose finding it measures
    std::string title; // what is computed
    std::size_t size;  // elements
    double bytes;      // between the device's memory and the chip, 0 when they are not the point
    std::vector<side> sides;
    std::function<void()> reset;     // before a side is checked
    std::function<bool()> is_right;  // looks at what the side wrote
};

// Times every side and writes its record: group "pair", name = rule, series = title, variant = "role: what".
void run_experiment(const experiment &, const options &);

// `size` random words, the same each time.
std::vector<unsigned> random_words(std::size_t size);

void measure_divergence(const options &);
void measure_banks(const options &);
void measure_barriers(const options &);
void measure_warp_sums(const options &);
void measure_block_sums(const options &);
void measure_atomics(const options &);
void measure_access(const options &);

} // namespace measure
