// Segmented sums, the inclusive scan and the histogram, each against CUB: see measure_primitives().
#include "primitives.cuh"

#include "bench.h"
#include "device_array.h"
#include "input.h"
#include "suites.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace measure {

namespace {

constexpr int block = 256;

// One way to compute a result that is_right() looks at behind a call.
struct way {
    std::string variant;
    std::function<void(const float *in, cudaStream_t)> call;
};

struct task {
    std::string name;
    std::string series;
    double bytes;
    std::vector<way> ways;
    std::function<void()> reset;                    // before a way is checked
    std::function<bool(const float *in)> is_right;
};

void measure_task(const task &one, const inputs &data, const effort &how)
{
    for (const way &each : one.ways) {
        bool right = true;
        for (int turn = 0; turn < 2; turn++) {
            one.reset();
            each.call(data.buffer(turn), nullptr);
            MEASURE_CHECK(cudaGetLastError());
            MEASURE_CHECK(cudaDeviceSynchronize());
            right = right && one.is_right(data.buffer(turn));
        }
        auto work = [&](int turn, cudaStream_t stream) { each.call(data.buffer(turn), stream); };
        timing time = time_in_a_row(work, data.count(), how);
        write_record({"primitive", one.name, one.series, each.variant, data.size(), one.bytes, time, right});
    }
}

// Memory that a call of CUB asks for; `call` gets it and its size.
template <class Call> way cub_way(const char *variant, const Call &call)
{
    std::size_t bytes = 0;
    call(nullptr, bytes, nullptr, nullptr);
    auto temporary = std::make_shared<device_array<char>>(std::max<std::size_t>(bytes, 1));
    return {variant, [=](const float *in, cudaStream_t stream) {
                std::size_t held = bytes;
                call(temporary->get(), held, in, stream);
            }};
}

// ---- sums of segments ----

// Begins of segments with `mean` elements in the middle: each is up to half of that later than the even division.
std::vector<int> segment_begins(std::size_t size, std::size_t mean)
{
    std::vector<int> begins;
    for (std::size_t i = 0; i < size / mean; i++) {
        std::size_t later = static_cast<std::size_t>(element(99, i) + 127) * (mean / 2) / 255;
        begins.push_back(static_cast<int>(i * mean + (i ? later : 0)));
    }
    begins.push_back(static_cast<int>(size));
    return begins;
}

// A thread for each segment, element after element: what the others are compared with.
__global__ void count_wrong_sums(unsigned *wrong, const float *sums, const float *in, const int *begins, int segments)
{
    int segment = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (segment >= segments)
        return;
    float sum = 0.0f;
    for (int i = begins[segment]; i < begins[segment + 1]; i++)
        sum += in[i];
    if (sum != sums[segment])
        atomicAdd(wrong, 1u);
}

void measure_segments(const inputs &data, std::size_t mean, const effort &how)
{
    device_array<int> begins(segment_begins(data.size(), mean));
    int segments = static_cast<int>(begins.size()) - 1;
    device_array<float> sums(static_cast<std::size_t>(segments));
    auto own = [&](const float *in, cudaStream_t stream) {
        unsigned blocks = static_cast<unsigned>(segments + block / 32 - 1) / (block / 32);
        if (mean < 4096)
            primitives::sum_segments_by_warp<block>
                <<<blocks, block, 0, stream>>>(sums.get(), in, begins.get(), segments);
        else
            primitives::sum_segments_by_block<block>
                <<<static_cast<unsigned>(segments), block, 0, stream>>>(sums.get(), in, begins.get());
    };
    auto library = [&](void *temporary, std::size_t &bytes, const float *in, cudaStream_t stream) {
        cub_segment_sums(temporary, bytes, in, sums.get(), begins.get(), segments, stream);
    };
    auto is_right = [&](const float *in) {
        device_array<unsigned> wrong(1);
        count_wrong_sums<<<static_cast<unsigned>(segments + block - 1) / block, block>>>(wrong.get(), sums.get(), in,
                                                                                         begins.get(), segments);
        return wrong.content()[0] == 0;
    };
    double bytes = sizeof(float) * static_cast<double>(data.size()) + 8.0 * segments;
    measure_task({"segmented reduction", "segments of about " + std::to_string(mean), bytes,
                  {{mean < 4096 ? "a warp for each segment" : "a block for each segment", own},
                   cub_way("CUB DeviceSegmentedReduce::Sum", library)},
                  [&] { sums.clear(); },
                  is_right},
                 data, how);
}

// ---- scan ----

// Sums of the input are exact, so each result less the one before it is the element (input.h).
__global__ void count_wrong_steps(unsigned *wrong, const float *out, const float *in, std::size_t size)
{
    std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < size; i += step) {
        if (out[i] - (i ? out[i - 1] : 0.0f) != in[i])
            atomicAdd(wrong, 1u);
    }
}

void measure_scan(const inputs &data, const effort &how)
{
    constexpr int scan_block = 512;
    constexpr std::size_t tile = primitives::scan_tile<scan_block>;
    std::size_t tiles = (data.size() + tile - 1) / tile;
    // The ticket has a word of its own in front of those of the tiles.
    device_array<primitives::tile_word> state(tiles + 1);
    device_array<float> out(data.size());
    auto own = [&](const float *in, cudaStream_t stream) {
        MEASURE_CHECK(cudaMemsetAsync(state.get(), 0, sizeof(primitives::tile_word) * state.size(), stream));
        primitives::scan<scan_block><<<static_cast<unsigned>(tiles), scan_block, 0, stream>>>(
            out.get(), in, data.size(), reinterpret_cast<unsigned *>(state.get()), state.get() + 1);
    };
    auto library = [&](void *temporary, std::size_t &bytes, const float *in, cudaStream_t stream) {
        cub_inclusive_sum(temporary, bytes, in, out.get(), data.size(), stream);
    };
    auto is_right = [&](const float *in) {
        device_array<unsigned> wrong(1);
        count_wrong_steps<<<1024, block>>>(wrong.get(), out.get(), in, data.size());
        return wrong.content()[0] == 0;
    };
    double bytes = 2 * sizeof(float) * static_cast<double>(data.size());
    measure_task({"scan", "inclusive", bytes,
                  {{"one pass with look-back", own}, cub_way("CUB DeviceScan::InclusiveSum", library)},
                  [&] { out.clear(); },
                  is_right},
                 data, how);
}

// ---- histogram ----

// An atomic in global memory for each element: what the others are compared with.
template <int Bins> __global__ void count_all(unsigned *bins, const float *in, std::size_t size)
{
    std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < size; i += step)
        atomicAdd(bins + primitives::bin_of<Bins>(in[i]), 1u);
}

template <int Bins, primitives::counting Way>
std::function<void(const float *, cudaStream_t)> own_histogram(unsigned *counts, std::size_t size)
{
    int multiprocessors = 0;
    int each = 0;
    auto kernel = primitives::histogram<block, Bins, Way>;
    MEASURE_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    MEASURE_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, block, 0));
    unsigned blocks = static_cast<unsigned>(multiprocessors * each);
    return [=](const float *in, cudaStream_t stream) {
        MEASURE_CHECK(cudaMemsetAsync(counts, 0, sizeof(unsigned) * Bins, stream));
        kernel<<<blocks, block, 0, stream>>>(counts, in, size);
    };
}

template <int Bins> void measure_histogram(const inputs &data, const effort &how)
{
    device_array<unsigned> counts(Bins);
    device_array<unsigned> expected(Bins);
    auto library = [&](void *temporary, std::size_t &bytes, const float *in, cudaStream_t stream) {
        cub_histogram(temporary, bytes, in, counts.get(), Bins, data.size(), stream);
    };
    auto is_right = [&](const float *in) {
        expected.clear();
        count_all<Bins><<<1024, block>>>(expected.get(), in, data.size());
        return counts.content() == expected.content();
    };
    using primitives::counting;
    measure_task({"histogram", std::to_string(Bins) + " bins", sizeof(float) * static_cast<double>(data.size()),
                  {{"an atomic of each thread", own_histogram<Bins, counting::by_thread>(counts.get(), data.size())},
                   {"an atomic for each value of a warp",
                    own_histogram<Bins, counting::by_match>(counts.get(), data.size())},
                   cub_way("CUB DeviceHistogram::HistogramEven", library)},
                  [&] { counts.clear(); },
                  is_right},
                 data, how);
}

} // namespace

void measure_primitives(const options &what)
{
    effort how = what.quick ? effort{3, 1e-3} : effort{21, 10e-3};
    std::vector<int> exponents = what.quick ? std::vector<int>{20} : std::vector<int>{24, 26, 28, 30};
    for (int exponent : exponents) {
        std::size_t size = std::size_t{1} << exponent;
        inputs data(size, turns_for(sizeof(float) * size));
        for (std::size_t mean : {64, 1024, 16384}) {
            if (what.wants("segmented reduction"))
                measure_segments(data, mean, how);
        }
        if (what.wants("scan"))
            measure_scan(data, how);
        if (what.wants("histogram")) {
            measure_histogram<255>(data, how);
            measure_histogram<3>(data, how);
        }
    }
}

} // namespace measure
