// contended-atomic: atomics on one address, or a few, by every thread, by every warp, by every block.
#include "pairs.h"

namespace measure {

namespace {

constexpr unsigned full_mask = 0xffffffffu;
constexpr int block = 256;

template <class T> __device__ T warp_sum(T value)
{
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_down_sync(full_mask, value, offset);
    return value;
}

enum class way { by_thread, by_warp, by_block };

template <way Way, class T> __device__ void add_to(T *sum, T value)
{
    if constexpr (Way == way::by_thread) {
        atomicAdd(sum, value);
        return;
    }
    value = warp_sum(value);
    if constexpr (Way == way::by_block) {
        __shared__ T sums[block / 32];
        if (threadIdx.x % 32 == 0)
            sums[threadIdx.x / 32] = value;
        __syncthreads();
        if (threadIdx.x >= 32)
            return;
        value = warp_sum(threadIdx.x < block / 32 ? sums[threadIdx.x] : T{});
        if (threadIdx.x == 0)
            atomicAdd(sum, value);
    } else if (threadIdx.x % 32 == 0)
        atomicAdd(sum, value);
}

// What is added: sums of single bits are exact in single precision too.
__host__ __device__ constexpr unsigned bit_of(unsigned word)
{
    return word & 1;
}

template <way Way, class T> __global__ void sum_all(T *sum, const unsigned *in)
{
    add_to<Way>(sum, static_cast<T>(bit_of(in[blockIdx.x * block + threadIdx.x])));
}

constexpr unsigned threshold = 127;

// Keeps the elements above the threshold, in any order. `count` goes on from call to call: the place is taken modulo `size`.
__global__ void filter_by_thread(unsigned *out, unsigned *count, const unsigned *in, unsigned size)
{
    unsigned value = in[blockIdx.x * block + threadIdx.x];
    if (value > threshold)
        out[atomicAdd(count, 1u) % size] = value;
}

__global__ void filter_by_warp(unsigned *out, unsigned *count, const unsigned *in, unsigned size)
{
    unsigned value = in[blockIdx.x * block + threadIdx.x];
    unsigned lane = threadIdx.x % 32;
    unsigned keepers = __ballot_sync(full_mask, value > threshold);
    unsigned first = 0;
    if (lane == 0)
        first = atomicAdd(count, static_cast<unsigned>(__popc(keepers)));
    first = __shfl_sync(full_mask, first, 0);
    if (value > threshold)
        out[(first + static_cast<unsigned>(__popc(keepers & ((1u << lane) - 1)))) % size] = value;
}

// A histogram of few bins, so that the lanes of a warp often meet in one.
__global__ void count_by_thread(unsigned *bins, const unsigned *in, unsigned bin_count)
{
    atomicAdd(bins + in[blockIdx.x * block + threadIdx.x] % bin_count, 1u);
}

__global__ void count_by_match(unsigned *bins, const unsigned *in, unsigned bin_count)
{
    unsigned bin = in[blockIdx.x * block + threadIdx.x] % bin_count;
    unsigned same = __match_any_sync(full_mask, bin);
    if (threadIdx.x % 32 == static_cast<unsigned>(__ffs(static_cast<int>(same)) - 1))
        atomicAdd(bins + bin, static_cast<unsigned>(__popc(same)));
}

struct shared_input {
    std::vector<unsigned> words;
    device_array<unsigned> in;
    unsigned blocks;

    explicit shared_input(std::size_t size)
        : words(random_words(size)), in(words), blocks(static_cast<unsigned>(size / block))
    {
    }
};

template <class T> void measure_sum(const shared_input &data, const char *type, const options &given)
{
    device_array<T> sum(1);
    unsigned expected = 0;
    for (unsigned word : data.words)
        expected += bit_of(word);
    auto reset = [&] { sum.clear(); };
    auto one = [&](const char *role, const char *what, void (*kernel)(T *, const unsigned *)) -> side {
        return {role, what,
                [&, kernel](cudaStream_t s) { kernel<<<data.blocks, block, 0, s>>>(sum.get(), data.in.get()); }};
    };
    auto is_right = [&] { return sum.content()[0] == static_cast<T>(expected); };
    run_experiment({"contended-atomic",
                    std::string("sum of ") + type,
                    data.words.size(),
                    0,
                    {one("slow", "atomic of every thread", sum_all<way::by_thread, T>),
                     one("fast", "atomic of every warp", sum_all<way::by_warp, T>),
                     one("fast", "atomic of every block", sum_all<way::by_block, T>)},
                    reset,
                    is_right},
                   given);
}

void measure_filter(const shared_input &data, const options &given)
{
    unsigned size = static_cast<unsigned>(data.words.size());
    device_array<unsigned> out(size);
    device_array<unsigned> count(1);
    auto kept = [](const std::vector<unsigned> &words) {
        std::vector<unsigned> tally(256);
        for (unsigned word : words)
            tally[word] += word > threshold;
        return tally;
    };
    auto reset = [&] {
        out.clear();
        count.clear();
    };
    run_experiment({"contended-atomic",
                    "filter",
                    size,
                    0,
                    {{"slow", "atomic of every thread",
                      [&](cudaStream_t s) {
                          filter_by_thread<<<data.blocks, block, 0, s>>>(out.get(), count.get(), data.in.get(), size);
                      }},
                     {"fast", "atomic of every warp",
                      [&](cudaStream_t s) {
                          filter_by_warp<<<data.blocks, block, 0, s>>>(out.get(), count.get(), data.in.get(), size);
                      }}},
                    reset,
                    [&] { return kept(out.content()) == kept(data.words); }},
                   given);
}

void measure_histogram(const shared_input &data, unsigned bins, const options &given)
{
    device_array<unsigned> counts(bins);
    std::vector<unsigned> expected(bins);
    for (unsigned word : data.words)
        expected[word % bins]++;
    run_experiment({"contended-atomic",
                    "histogram of " + std::to_string(bins) + " bins",
                    data.words.size(),
                    0,
                    {{"slow", "atomic of every thread",
                      [&](cudaStream_t s) { count_by_thread<<<data.blocks, block, 0, s>>>(counts.get(), data.in.get(), bins); }},
                     {"fast", "__match_any_sync()",
                      [&](cudaStream_t s) { count_by_match<<<data.blocks, block, 0, s>>>(counts.get(), data.in.get(), bins); }}},
                    [&] { counts.clear(); },
                    [&] { return counts.content() == expected; }},
                   given);
}

} // namespace

void measure_atomics(const options &given)
{
    shared_input data(given.quick ? 1u << 12 : 1u << 22);
    measure_sum<unsigned>(data, "int", given);
    measure_sum<float>(data, "float", given);
    measure_filter(data, given);
    measure_histogram(data, 2, given);
    measure_histogram(data, 16, given);
}

} // namespace measure
