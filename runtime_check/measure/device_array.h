// Device memory with an owner.
#pragma once

#include "bench.h"

#include <cstddef>
#include <vector>

namespace measure {

// `size` elements of T in device memory, cleared; freed at the end of its life.
template <class T> class device_array {
  public:
    explicit device_array(std::size_t size) : size_(size)
    {
        MEASURE_CHECK(cudaMalloc(&memory_, sizeof(T) * size));
        clear();
    }
    explicit device_array(const std::vector<T> &content) : device_array(content.size())
    {
        MEASURE_CHECK(cudaMemcpy(memory_, content.data(), sizeof(T) * size_, cudaMemcpyHostToDevice));
    }
    ~device_array() { cudaFree(memory_); }
    device_array(const device_array &) = delete;
    device_array &operator=(const device_array &) = delete;

    T *get() const { return memory_; }
    std::size_t size() const { return size_; }
    void clear() { MEASURE_CHECK(cudaMemset(memory_, 0, sizeof(T) * size_)); }
    std::vector<T> content() const
    {
        std::vector<T> copy(size_);
        MEASURE_CHECK(cudaMemcpy(copy.data(), memory_, sizeof(T) * size_, cudaMemcpyDeviceToHost));
        return copy;
    }

  private:
    T *memory_ = nullptr;
    std::size_t size_;
};

} // namespace measure
