#pragma once
#include <cstddef>

// Carving of dynamic shared memory. Layout computes the size on the host with
// the same sequence of requests that the kernel takes from the Arena.

namespace smem {

constexpr size_t kAlign = 16;

__host__ __device__ constexpr size_t roundUp(size_t n) { return (n + kAlign - 1) / kAlign * kAlign; }

class Layout {
 public:
  constexpr Layout() = default;
  template <typename T>
  constexpr Layout add(size_t count) const {
    return Layout(bytes_ + roundUp(count * sizeof(T)));
  }
  constexpr size_t bytes() const { return bytes_; }

 private:
  constexpr explicit Layout(size_t b) : bytes_(b) {}
  size_t bytes_ = 0;
};

class Arena {
 public:
  __device__ explicit Arena(void* base) : next_(static_cast<unsigned char*>(base)) {}
  template <typename T>
  __device__ T* take(size_t count) {
    T* p = reinterpret_cast<T*>(next_);
    next_ += roundUp(count * sizeof(T));
    return p;
  }

 private:
  unsigned char* next_;
};

}  // namespace smem
