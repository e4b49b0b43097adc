// divergent-branch: arms chosen by lane beside the same arms chosen by warp.
#include "pairs.h"

namespace measure {

namespace {

constexpr int block = 256;
constexpr int steps = 64;

// Not unrolled, so that the compiler cannot merge the arms into one with selected constants.
template <int Arm> __host__ __device__ unsigned work_of_arm(unsigned value)
{
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
    for (int i = 0; i < steps; i++)
        value = value * (2 * Arm + 3) + Arm;
    return value;
}

template <int Arms, int Arm = 0> __host__ __device__ unsigned work_of(unsigned arm, unsigned value)
{
    if (arm == Arm)
        return work_of_arm<Arm>(value);
    if constexpr (Arm + 1 < Arms)
        return work_of<Arms, Arm + 1>(arm, value);
    else
        return value;
}

__host__ __device__ constexpr unsigned arm_of(unsigned i, unsigned arms, bool by_lane)
{
    return (by_lane ? i : i / 32) % arms;
}

template <int Arms, bool ByLane> __global__ void choose_arm(unsigned *out, const unsigned *in)
{
    unsigned i = blockIdx.x * block + threadIdx.x;
    out[i] = work_of<Arms>(arm_of(threadIdx.x, Arms, ByLane), in[i]);
}

// Both sides do the same arms on as many elements each; they differ in which elements.
template <int Arms> void measure_arms(const options &given)
{
    const std::size_t size = given.quick ? 1u << 14 : 1u << 22;
    std::vector<unsigned> words = random_words(size);
    device_array<unsigned> in(words);
    device_array<unsigned> out(size);
    bool by_lane = true;
    unsigned blocks = static_cast<unsigned>(size / block);
    auto is_right = [&] {
        std::vector<unsigned> got = out.content();
        bool right = true;
        for (std::size_t i = 0; i < size; i++)
            right = right && got[i] == work_of<Arms>(arm_of(static_cast<unsigned>(i) % block, Arms, by_lane), words[i]);
        by_lane = false;
        return right;
    };
    run_experiment({"divergent-branch",
                    std::to_string(Arms) + " arms of arithmetic",
                    size,
                    0,
                    {{"slow", "arm chosen by lane",
                      [&](cudaStream_t s) { choose_arm<Arms, true><<<blocks, block, 0, s>>>(out.get(), in.get()); }},
                     {"fast", "arm chosen by warp",
                      [&](cudaStream_t s) { choose_arm<Arms, false><<<blocks, block, 0, s>>>(out.get(), in.get()); }}},
                    [&] { out.clear(); },
                    is_right},
                   given);
}

} // namespace

void measure_divergence(const options &given)
{
    measure_arms<2>(given);
    measure_arms<4>(given);
    measure_arms<8>(given);
}

} // namespace measure
