#include "bench.h"
#include "suites.h"

#include <cub/device/device_reduce.cuh>

namespace measure {

void cub_sum(void *temporary, std::size_t &bytes, const float *in, float *out, std::size_t size, cudaStream_t stream)
{
    MEASURE_CHECK(cub::DeviceReduce::Sum(temporary, bytes, in, out, static_cast<int>(size), stream));
}

} // namespace measure
