#include "input.h"

#include "bench.h"

#include <algorithm>
#include <thread>

namespace measure {

namespace {

__global__ void fill(float *out, std::size_t size, std::uint64_t seed)
{
    std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < size; i += step)
        out[i] = static_cast<float>(element(seed, i)) / 128.0f;
}

std::int64_t sum_of_range(std::uint64_t seed, std::size_t first, std::size_t last)
{
    std::int64_t sum = 0;
    for (std::size_t i = first; i < last; i++)
        sum += element(seed, i);
    return sum;
}

std::int64_t sum_on_processor(std::uint64_t seed, std::size_t size)
{
    std::size_t parts = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::int64_t> sums(parts);
    std::vector<std::thread> workers;
    for (std::size_t part = 0; part < parts; part++)
        workers.emplace_back([&, part] { sums[part] = sum_of_range(seed, size * part / parts, size * (part + 1) / parts); });
    std::int64_t sum = 0;
    for (std::size_t part = 0; part < parts; part++) {
        workers[part].join();
        sum += sums[part];
    }
    return sum;
}

} // namespace

inputs::inputs(std::size_t size, int count) : size_(size), count_(count), memory_(nullptr)
{
    MEASURE_CHECK(cudaMalloc(&memory_, sizeof(float) * size * static_cast<std::size_t>(count)));
    for (int i = 0; i < count; i++) {
        fill<<<1024, 256>>>(memory_ + size * static_cast<std::size_t>(i), size, static_cast<std::uint64_t>(i));
        sums_.push_back(static_cast<float>(sum_on_processor(static_cast<std::uint64_t>(i), size)) / 128.0f);
    }
    MEASURE_CHECK(cudaDeviceSynchronize());
}

inputs::~inputs()
{
    cudaFree(memory_);
}

int turns_for(std::size_t bytes)
{
    const std::size_t total = std::size_t{1} << 29;
    return static_cast<int>(std::max<std::size_t>(2, total / bytes));
}

} // namespace measure
