// bank-conflict: strided reads of shared memory, and the transpose with and without a padded tile.
#include "pairs.h"

namespace measure {

namespace {

constexpr int block = 256;
constexpr int words_in_shared = 8192;
constexpr int reads = 128;

__host__ __device__ constexpr unsigned place(unsigned thread, unsigned stride, unsigned read)
{
    return (thread * stride + read) % words_in_shared;
}

template <int Stride> __global__ void read_strided(unsigned *out, const unsigned *in)
{
    __shared__ unsigned words[words_in_shared];
    for (unsigned i = threadIdx.x; i < words_in_shared; i += block)
        words[i] = in[i];
    __syncthreads();
    unsigned sum = 0;
#pragma unroll 8
    for (unsigned read = 0; read < reads; read++)
        sum += words[place(threadIdx.x, Stride, read)];
    out[blockIdx.x * block + threadIdx.x] = sum;
}

template <int Stride> void measure_stride(const options &given)
{
    const unsigned blocks = given.quick ? 8 : 4096;
    std::vector<unsigned> words = random_words(words_in_shared);
    device_array<unsigned> in(words);
    device_array<unsigned> out(static_cast<std::size_t>(blocks) * block);
    unsigned stride = Stride;
    auto is_right = [&] {
        std::vector<unsigned> got = out.content();
        bool right = true;
        for (unsigned t = 0; t < block; t++) {
            unsigned sum = 0;
            for (unsigned read = 0; read < reads; read++)
                sum += words[place(t, stride, read)];
            right = right && got[t] == sum && got[got.size() - block + t] == sum;
        }
        stride++;
        return right;
    };
    run_experiment({"bank-conflict",
                    "reads " + std::to_string(Stride) + " words apart",
                    out.size() * reads,
                    0,
                    {{"slow", std::to_string(Stride) + " words apart",
                      [&](cudaStream_t s) { read_strided<Stride><<<blocks, block, 0, s>>>(out.get(), in.get()); }},
                     {"fast", std::to_string(Stride + 1) + " words apart (padded)",
                      [&](cudaStream_t s) { read_strided<Stride + 1><<<blocks, block, 0, s>>>(out.get(), in.get()); }}},
                    [&] { out.clear(); },
                    is_right},
                   given);
}

constexpr int tile = 32;
constexpr int rows = 8;

template <int Pad> __global__ void transpose(unsigned *out, const unsigned *in, unsigned side)
{
    __shared__ unsigned part[tile][tile + Pad];
    unsigned x = blockIdx.x * tile + threadIdx.x;
    unsigned y = blockIdx.y * tile + threadIdx.y;
    for (unsigned j = 0; j < tile; j += rows)
        part[threadIdx.y + j][threadIdx.x] = in[static_cast<std::size_t>(y + j) * side + x];
    __syncthreads();
    x = blockIdx.y * tile + threadIdx.x;
    y = blockIdx.x * tile + threadIdx.y;
    for (unsigned j = 0; j < tile; j += rows)
        out[static_cast<std::size_t>(y + j) * side + x] = part[threadIdx.x][threadIdx.y + j];
}

void measure_transpose(const options &given)
{
    const unsigned length = given.quick ? 64 : 8192;
    const std::size_t size = static_cast<std::size_t>(length) * length;
    std::vector<unsigned> words = random_words(size);
    device_array<unsigned> in(words);
    device_array<unsigned> out(size);
    dim3 grid(length / tile, length / tile);
    dim3 threads(tile, rows);
    auto is_right = [&] {
        std::vector<unsigned> got = out.content();
        for (std::size_t i = 0; i < size; i++) {
            if (got[i] != words[i % length * length + i / length])
                return false;
        }
        return true;
    };
    run_experiment(
        {"bank-conflict",
         "transpose",
         size,
         8.0 * static_cast<double>(size),
         {{"slow", "tile of 32 x 32",
           [&](cudaStream_t s) { transpose<0><<<grid, threads, 0, s>>>(out.get(), in.get(), length); }},
          {"fast", "tile of 32 x 33",
           [&](cudaStream_t s) { transpose<1><<<grid, threads, 0, s>>>(out.get(), in.get(), length); }}},
         [&] { out.clear(); },
         is_right},
        given);
}

} // namespace

void measure_banks(const options &given)
{
    measure_stride<2>(given);
    measure_stride<4>(given);
    measure_stride<8>(given);
    measure_stride<16>(given);
    measure_stride<32>(given);
    measure_transpose(given);
}

} // namespace measure
