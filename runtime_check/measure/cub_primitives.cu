#include "bench.h"
#include "suites.h"

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>

namespace measure {

void cub_segment_sums(void *temporary, std::size_t &bytes, const float *in, float *out, const int *begins, int segments,
                      cudaStream_t stream)
{
    MEASURE_CHECK(cub::DeviceSegmentedReduce::Sum(temporary, bytes, in, out, segments, begins, begins + 1, stream));
}

void cub_inclusive_sum(void *temporary, std::size_t &bytes, const float *in, float *out, std::size_t size,
                       cudaStream_t stream)
{
    MEASURE_CHECK(cub::DeviceScan::InclusiveSum(temporary, bytes, in, out, static_cast<int>(size), stream));
}

void cub_histogram(void *temporary, std::size_t &bytes, const float *in, unsigned *counts, int bins, std::size_t size,
                   cudaStream_t stream)
{
    // Elements are multiples of 1/128 from -127/128 to 127/128; the bounds of the bins lie between them.
    MEASURE_CHECK(cub::DeviceHistogram::HistogramEven(temporary, bytes, in, counts, bins + 1, -127.5f / 128.0f,
                                                      127.5f / 128.0f, static_cast<int>(size), stream));
}

} // namespace measure
