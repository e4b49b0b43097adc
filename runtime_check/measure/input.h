// Random input whose sums are exact in single precision, whatever the order of the additions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace measure {

// Element `i` of the input number `seed`, in 1/128ths: a whole number in -127..127 with mean zero. A sum of 2^30 of
// them has a standard deviation of 2.4 million, far below 2^24: no partial sum is rounded, and a result is right or
// wrong, not close. The mixing function is the finaliser of SplitMix64 (Steele, Lea and Flood, 2014).
__host__ __device__ inline int element(std::uint64_t seed, std::uint64_t i)
{
    std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15ULL + seed * 0xd1342543de82ef95ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    z ^= z >> 31;
    return static_cast<int>(static_cast<std::uint32_t>(z >> 32) % 255u) - 127;
}

// Device memory with `count` buffers of `size` floats each, filled with inputs 0, 1, …; freed at the end of its life.
class inputs {
  public:
    inputs(std::size_t size, int count);
    ~inputs();
    inputs(const inputs &) = delete;
    inputs &operator=(const inputs &) = delete;

    std::size_t size() const { return size_; }
    int count() const { return count_; }
    const float *buffer(int turn) const { return memory_ + static_cast<std::size_t>(turn % count_) * size_; }
    // The sum of that buffer's elements, made on the processor from element() in whole numbers.
    float sum(int turn) const { return sums_[static_cast<std::size_t>(turn % count_)]; }

  private:
    std::size_t size_;
    int count_;
    float *memory_;
    std::vector<float> sums_;
};

// Buffers of `bytes` each so many that together they are several times the largest L2 cache in use (60 MB), and at
// least 2.
int turns_for(std::size_t bytes);

} // namespace measure
