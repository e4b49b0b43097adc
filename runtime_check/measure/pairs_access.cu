// uncoalesced-global-access and low-occupancy-launch: the same bytes asked for in other ways.
#include "pairs.h"

namespace measure {

namespace {

constexpr int block = 256;

// Every element is copied once; neighbouring threads read elements that lie `stride` apart.
__global__ void gather(unsigned *out, const unsigned *in, unsigned size, unsigned stride)
{
    unsigned i = blockIdx.x * block + threadIdx.x;
    unsigned column = size / stride;
    out[i] = in[i % column * stride + i / column];
}

struct body {
    unsigned x, y, z, mass;
};

// One of four fields of a record, and the same field from an array of its own.
__global__ void scale_field(unsigned *out, const body *bodies)
{
    unsigned i = blockIdx.x * block + threadIdx.x;
    out[i] = bodies[i].mass * 3;
}

__global__ void scale_array(unsigned *out, const unsigned *masses)
{
    unsigned i = blockIdx.x * block + threadIdx.x;
    out[i] = masses[i] * 3;
}

__global__ void copy_in_strides(unsigned *out, const unsigned *in, unsigned size)
{
    unsigned step = gridDim.x * blockDim.x;
#pragma unroll 1
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += step)
        out[i] = in[i];
}

struct arrays {
    std::vector<unsigned> words;
    device_array<unsigned> in;
    device_array<unsigned> out;
    unsigned size;
    unsigned blocks;

    explicit arrays(std::size_t count)
        : words(random_words(count)), in(words), out(count), size(static_cast<unsigned>(count)),
          blocks(static_cast<unsigned>(count / block))
    {
    }
};

void measure_gather(arrays &data, const options &given)
{
    unsigned stride = 1;
    std::vector<side> sides;
    for (unsigned one : {1u, 2u, 4u, 8u, 32u}) {
        sides.push_back({one == 1 ? "fast" : "slow", "neighbouring threads read " + std::to_string(one) + " words apart",
                         [&, one](cudaStream_t s) {
                             stride = one;
                             gather<<<data.blocks, block, 0, s>>>(data.out.get(), data.in.get(), data.size, one);
                         }});
    }
    auto is_right = [&] {
        std::vector<unsigned> got = data.out.content();
        unsigned column = data.size / stride;
        for (unsigned i = 0; i < data.size; i++) {
            if (got[i] != data.words[i % column * stride + i / column])
                return false;
        }
        return true;
    };
    run_experiment({"uncoalesced-global-access", "copy", data.size, 8.0 * data.size, sides, [&] { data.out.clear(); }, is_right}, given);
}

void measure_records(arrays &data, const options &given)
{
    unsigned count = data.size / 4;
    bool of_records = true;
    auto is_right = [&] {
        std::vector<unsigned> got = data.out.content();
        for (unsigned i = 0; i < count; i++) {
            if (got[i] != 3 * data.words[of_records ? 4 * i + 3 : i])
                return false;
        }
        of_records = false;
        return true;
    };
    run_experiment({"uncoalesced-global-access",
                    "one field of records",
                    count,
                    8.0 * count,
                    {{"slow", "array of records",
                      [&](cudaStream_t s) {
                          scale_field<<<count / block, block, 0, s>>>(data.out.get(),
                                                                      reinterpret_cast<const body *>(data.in.get()));
                      }},
                     {"fast", "an array for each field",
                      [&](cudaStream_t s) { scale_array<<<count / block, block, 0, s>>>(data.out.get(), data.in.get()); }}},
                    [&] { data.out.clear(); },
                    is_right},
                   given);
}

void measure_occupancy(arrays &data, const options &given)
{
    int device = 0;
    int processors = 0;
    MEASURE_CHECK(cudaGetDevice(&device));
    MEASURE_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    auto launch_of = [&](const char *role, std::string what, unsigned grid, unsigned threads) -> side {
        return {role, what, [&, grid, threads](cudaStream_t s) {
                    copy_in_strides<<<grid, threads, 0, s>>>(data.out.get(), data.in.get(), data.size);
                }};
    };
    unsigned sms = static_cast<unsigned>(processors);
    std::vector<side> sides = {
        launch_of("slow", "one block of 256", 1, 256),
        launch_of("slow", "16 blocks of 256", 16, 256),
        launch_of("slow", "a block of 256 for each multiprocessor", sms, 256),
        launch_of("fast", "8 blocks of 256 for each multiprocessor", 8 * sms, 256),
        launch_of("slow", "blocks of 32, one element a thread", data.size / 32, 32),
        launch_of("fast", "blocks of 256, one element a thread", data.size / 256, 256),
    };
    run_experiment({"low-occupancy-launch",
                    "copy",
                    data.size,
                    8.0 * data.size,
                    sides,
                    [&] { data.out.clear(); },
                    [&] { return data.out.content() == data.words; }},
                   given);
}

} // namespace

void measure_access(const options &given)
{
    arrays data(given.quick ? 1u << 14 : 1u << 26);
    measure_gather(data, given);
    measure_records(data, given);
    measure_occupancy(data, given);
}

} // namespace measure
