#pragma once
#include "cuwarp/types.h"
namespace cuda {
enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread = 10 };
namespace std {
using namespace ::std;
enum memory_order {
    memory_order_relaxed,
    memory_order_consume,
    memory_order_acquire,
    memory_order_release,
    memory_order_acq_rel,
    memory_order_seq_cst
};
}
using std::memory_order;
using std::memory_order_relaxed;
using std::memory_order_consume;
using std::memory_order_acquire;
using std::memory_order_release;
using std::memory_order_acq_rel;
using std::memory_order_seq_cst;
template <size_t A> struct aligned_size_t {
    size_t value;
    __host__ __device__ constexpr explicit aligned_size_t(size_t n) : value(n) {}
    __host__ __device__ constexpr operator size_t() const { return value; }
};
}
