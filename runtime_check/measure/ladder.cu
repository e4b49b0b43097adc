#include "ladder.cuh"

#include "bench.h"
#include "input.h"
#include "last_rung.h"
#include "suites.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace measure {

namespace {

constexpr int block = 256;

// Device memory for a rung's intermediate results.
class scratch {
  public:
    explicit scratch(std::size_t floats) { MEASURE_CHECK(cudaMalloc(&memory_, sizeof(float) * floats)); }
    ~scratch() { cudaFree(memory_); }
    scratch(const scratch &) = delete;
    scratch &operator=(const scratch &) = delete;
    float *get() const { return memory_; }

  private:
    float *memory_ = nullptr;
};

// A rung for one size: `call` leaves the sum of `in` at `result(turn)`.
struct rung {
    std::string name;
    std::string variant;
    std::function<void(const float *in, int turn, cudaStream_t)> call;
    std::function<float(int turn)> result;
};

float fetch(const float *from)
{
    float value = 0;
    MEASURE_CHECK(cudaMemcpy(&value, from, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

std::size_t blocks_for(std::size_t size)
{
    return (size + block - 1) / block;
}

rung global_rung(std::size_t size)
{
    auto data = std::make_shared<scratch>(size);
    auto call = [=](const float *in, int, cudaStream_t stream) {
        for (std::size_t stride = 1; stride < size; stride *= 2)
            ladder::level_in_global<<<static_cast<unsigned>(blocks_for(size)), block, 0, stream>>>(data->get(), in, stride,
                                                                                                    size);
    };
    return {"global", "256", call, [=](int) { return fetch(data->get()); }};
}

using block_kernel = void (*)(float *, const float *, std::size_t);

// Pass after pass, each with one sum for every block of the pass before.
rung tree_rung(const char *name, block_kernel kernel, std::size_t size)
{
    auto sums = std::make_shared<scratch>(2 * blocks_for(size));
    auto passes = [=](const float *in, cudaStream_t stream) {
        float *out = sums->get();
        for (std::size_t left = size; left > 1; left = blocks_for(left)) {
            kernel<<<static_cast<unsigned>(blocks_for(left)), block, 0, stream>>>(out, in, left);
            in = out;
            out += blocks_for(left);
        }
        return in;
    };
    auto where = std::make_shared<const float *>(nullptr);
    auto call = [=](const float *in, int, cudaStream_t stream) { *where = passes(in, stream); };
    return {name, "256", call, [=](int) { return fetch(*where); }};
}

unsigned blocks_of_device(block_kernel kernel)
{
    int device = 0;
    int multiprocessors = 0;
    int each = 0;
    MEASURE_CHECK(cudaGetDevice(&device));
    MEASURE_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    MEASURE_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, block, 0));
    return static_cast<unsigned>(multiprocessors * each);
}

// Two launches: as many blocks as fit, then one block over their sums.
rung two_pass_rung(const char *name, block_kernel kernel, std::size_t size)
{
    unsigned blocks = blocks_of_device(kernel);
    auto sums = std::make_shared<scratch>(blocks + 1);
    auto call = [=](const float *in, int, cudaStream_t stream) {
        kernel<<<blocks, block, 0, stream>>>(sums->get() + 1, in, size);
        kernel<<<1, block, 0, stream>>>(sums->get(), sums->get() + 1, blocks);
    };
    return {name, "256", call, [=](int) { return fetch(sums->get()); }};
}

double quick_time(const configuration &config, const inputs &data, last_rung_memory &memory)
{
    memory.clear();
    auto work = [&](int turn, cudaStream_t stream) {
        run_last_rung(config, data.buffer(turn), data.size(), memory.space(), turn, stream);
    };
    return time_in_a_row(work, data.count(), {5, 2e-3}).median;
}

// The fastest of the good configurations on this machine; it is measured anew afterwards.
configuration choose_configuration(const inputs &data, bool overlapping)
{
    last_rung_memory memory(1 << 16);
    configuration best{};
    double least = 0;
    for (const configuration &config : good_configurations(data.size(), overlapping)) {
        double time = quick_time(config, data, memory);
        if (best.what == nullptr || time < least) {
            best = config;
            least = time;
        }
    }
    return best;
}

rung wide_rung(const char *name, const inputs &data, bool overlapping)
{
    std::size_t size = data.size();
    configuration config = choose_configuration(data, overlapping);
    if (config.what == nullptr)
        return {};
    auto memory = std::make_shared<last_rung_memory>(config.blocks);
    auto call = [=](const float *in, int turn, cudaStream_t stream) {
        run_last_rung(config, in, size, memory->space(), turn, stream);
    };
    return {name, config.name(), call, [=](int turn) { return memory->result(*config.what, turn); }};
}

rung cub_rung(std::size_t size)
{
    std::size_t bytes = 0;
    auto out = std::make_shared<scratch>(1);
    cub_sum(nullptr, bytes, nullptr, out->get(), size, nullptr);
    auto temporary = std::make_shared<scratch>(bytes / sizeof(float) + 1);
    auto call = [=](const float *in, int, cudaStream_t stream) {
        std::size_t held = bytes;
        cub_sum(temporary->get(), held, in, out->get(), size, stream);
    };
    return {"CUB", "DeviceReduce::Sum", call, [=](int) { return fetch(out->get()); }};
}

bool is_right(const rung &one, const inputs &data)
{
    for (int turn = 0; turn < 2; turn++) {
        one.call(data.buffer(turn), turn, nullptr);
        MEASURE_CHECK(cudaGetLastError());
        MEASURE_CHECK(cudaDeviceSynchronize());
        if (one.result(turn) != data.sum(turn))
            return false;
    }
    return true;
}

// Calls in a row with nothing between them, as they are timed.
bool last_is_right(const rung &one, const inputs &data)
{
    cudaStream_t stream;
    int calls = 4 * data.count() + 2;
    MEASURE_CHECK(cudaStreamCreate(&stream));
    for (int turn = 0; turn < calls; turn++)
        one.call(data.buffer(turn), turn, stream);
    MEASURE_CHECK(cudaStreamSynchronize(stream));
    MEASURE_CHECK(cudaStreamDestroy(stream));
    return one.result(calls - 1) == data.sum(calls - 1);
}

void measure_rung(const rung &one, const inputs &data, const effort &how)
{
    if (!one.call) // this machine has none
        return;
    auto work = [&](int turn, cudaStream_t stream) { one.call(data.buffer(turn), turn, stream); };
    double bytes = sizeof(float) * static_cast<double>(data.size());
    bool right = is_right(one, data) && last_is_right(one, data);
    write_record({"ladder", one.name, "", one.variant, data.size(), bytes, time_in_a_row(work, data.count(), how), right});
    right = right && is_right(one, data);
    write_record({"alone", one.name, "", one.variant, data.size(), bytes, time_alone(work, data.count(), 50), right});
    if (one.name != "wide loads" && one.name != "overlapped" && one.name != "CUB")
        return;
    // The same buffer again and again: what the second-level cache keeps of a buffer many times its size.
    auto again = [&](int turn, cudaStream_t stream) { one.call(data.buffer(0), turn, stream); };
    write_record({"one buffer", one.name, "", one.variant, data.size(), bytes, time_in_a_row(again, 1, how), right});
}

using rung_maker = rung (*)(const inputs &);

std::vector<std::pair<const char *, rung_maker>> rungs()
{
    return {
        {"global", [](const inputs &d) { return global_rung(d.size()); }},
        {"shared", [](const inputs &d) { return tree_rung("shared", ladder::tree_in_shared<block>, d.size()); }},
        {"interleaved", [](const inputs &d) { return tree_rung("interleaved", ladder::tree_interleaved<block>, d.size()); }},
        {"sequential", [](const inputs &d) { return tree_rung("sequential", ladder::tree_sequential<block>, d.size()); }},
        {"grid-stride", [](const inputs &d) { return two_pass_rung("grid-stride", ladder::grid_stride<block>, d.size()); }},
        {"loads in flight",
         [](const inputs &d) { return two_pass_rung("loads in flight", ladder::loads_in_flight<block, 4>, d.size()); }},
        {"wide loads", [](const inputs &d) { return wide_rung("wide loads", d, false); }},
        {"overlapped", [](const inputs &d) { return wide_rung("overlapped", d, true); }},
        {"CUB", [](const inputs &d) { return cub_rung(d.size()); }},
    };
}

__global__ void copy_vectors(float4 *__restrict__ out, const float4 *__restrict__ in, std::size_t vectors)
{
    constexpr int loads = 4;
    std::size_t at = static_cast<std::size_t>(blockIdx.x) * block * loads + threadIdx.x;
    float4 v[loads];
#pragma unroll
    for (int k = 0; k < loads; k++)
        v[k] = at + k * block < vectors ? __ldcs(in + at + k * block) : float4{};
#pragma unroll
    for (int k = 0; k < loads; k++) {
        if (at + k * block < vectors)
            __stcs(out + at + k * block, v[k]);
    }
}

bool same_content(const float *a, const float *b, std::size_t size)
{
    std::vector<float> first(size), second(size);
    MEASURE_CHECK(cudaMemcpy(first.data(), a, sizeof(float) * size, cudaMemcpyDeviceToHost));
    MEASURE_CHECK(cudaMemcpy(second.data(), b, sizeof(float) * size, cudaMemcpyDeviceToHost));
    return first == second;
}

// The copies' bytes are those read and those written.
void measure_copies(const inputs &data, const effort &how)
{
    std::size_t size = data.size();
    scratch out(size * static_cast<std::size_t>(data.count()));
    auto target = [&](int turn) { return out.get() + static_cast<std::size_t>(turn % data.count()) * size; };
    auto library = [&](int turn, cudaStream_t stream) {
        MEASURE_CHECK(cudaMemcpyAsync(target(turn), data.buffer(turn), sizeof(float) * size, cudaMemcpyDeviceToDevice, stream));
    };
    auto kernel = [&](int turn, cudaStream_t stream) {
        std::size_t vectors = size / 4;
        copy_vectors<<<static_cast<unsigned>((vectors + 4 * block - 1) / (4 * block)), block, 0, stream>>>(
            reinterpret_cast<float4 *>(target(turn)), reinterpret_cast<const float4 *>(data.buffer(turn)), vectors);
    };
    double bytes = 2.0 * sizeof(float) * static_cast<double>(size);
    for (const auto &[variant, work] : {std::pair<const char *, launch>{"cudaMemcpyAsync", library}, {"kernel", kernel}}) {
        MEASURE_CHECK(cudaMemset(out.get(), 0, sizeof(float) * size));
        timing time = time_in_a_row(work, data.count(), how);
        std::size_t checked = std::min<std::size_t>(size, std::size_t{1} << 20);
        bool right = same_content(target(0) + size - checked, data.buffer(0) + size - checked, checked);
        write_record({"copy", "copy", "", variant, size, bytes, time, right});
    }
}

std::vector<int> exponents(const options &what)
{
    return what.quick ? std::vector<int>{20} : std::vector<int>{24, 26, 28, 30};
}

bool configuration_is_right(const configuration &config, const inputs &data, last_rung_memory &memory)
{
    memory.clear();
    for (int turn = 0; turn < 2; turn++) {
        run_last_rung(config, data.buffer(turn), data.size(), memory.space(), turn, nullptr);
        MEASURE_CHECK(cudaDeviceSynchronize());
        if (memory.result(*config.what, turn) != data.sum(turn))
            return false;
    }
    return true;
}

void tune_size(const inputs &data, last_rung_memory &memory)
{
    double bytes = sizeof(float) * static_cast<double>(data.size());
    for (const form &what : all_forms()) {
        for (const configuration &config : configurations_of(what, data.size())) {
            bool right = configuration_is_right(config, data, memory);
            auto work = [&](int turn, cudaStream_t stream) {
                run_last_rung(config, data.buffer(turn), data.size(), memory.space(), turn, stream);
            };
            write_record({"tune", "last", "", config.name(), data.size(), bytes, time_in_a_row(work, data.count(), {5, 2e-3}), right});
        }
    }
}

} // namespace

void measure_ladder(const options &what)
{
    effort how = what.quick ? effort{3, 1e-3} : effort{21, 10e-3};
    for (int exponent : exponents(what)) {
        std::size_t size = std::size_t{1} << exponent;
        inputs data(size, turns_for(sizeof(float) * size));
        for (const auto &[name, make] : rungs()) {
            if (what.wants(name))
                measure_rung(make(data), data, how);
        }
        if (what.wants("copy"))
            measure_copies(data, how);
    }
}

void tune_last_rung(const options &what)
{
    last_rung_memory memory(1 << 16);
    for (int exponent : exponents(what)) {
        std::size_t size = std::size_t{1} << exponent;
        inputs data(size, turns_for(sizeof(float) * size));
        tune_size(data, memory);
    }
}

} // namespace measure
