// What the program measures. Each suite writes its records (bench.h).
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <string>

namespace measure {

struct options {
    std::string filter; // only names that contain it
    bool quick = false; // few samples and the smallest sizes, to try the program itself
    bool wants(const std::string &name) const { return name.find(filter) != std::string::npos; }
};

// The reduction ladder, CUB and copies, at 2^24, 2^26, 2^28 and 2^30 floats.
void measure_ladder(const options &);

// Every configuration of the last rung, at the same sizes.
void tune_last_rung(const options &);

// Slow code beside the code that a rule of the category perf advises, and hazards beside their corrections.
void measure_pairs(const options &);

// Segmented sums, the inclusive scan and histograms, each beside CUB's, at the ladder's sizes.
void measure_primitives(const options &);

// CUB's DeviceReduce::Sum, as a library user calls it. `bytes` is the size of `temporary`; with `temporary` null it is
// set.
void cub_sum(void *temporary, std::size_t &bytes, const float *in, float *out, std::size_t size, cudaStream_t stream);

// The same of DeviceSegmentedReduce::Sum (segment i is in[begins[i], begins[i + 1])), DeviceScan::InclusiveSum and
// DeviceHistogram::HistogramEven over the range of the input (input.h).
void cub_segment_sums(void *temporary, std::size_t &bytes, const float *in, float *out, const int *begins, int segments,
                      cudaStream_t stream);
void cub_inclusive_sum(void *temporary, std::size_t &bytes, const float *in, float *out, std::size_t size,
                       cudaStream_t stream);
void cub_histogram(void *temporary, std::size_t &bytes, const float *in, unsigned *counts, int bins, std::size_t size,
                   cudaStream_t stream);

} // namespace measure
