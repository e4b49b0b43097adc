#pragma once
#include "cooperative_groups.h"
namespace cooperative_groups {
//@ cg.reduce | __device__
#define CUWARP_UPDATE(function, method)                                                                                \
    template <typename A, typename T, typename U> __device__ inline void cuwarp_update(A &to, T v, function<U>) {     \
        to.method(v);                                                                                                  \
    }
CUWARP_UPDATE(plus, fetch_add)
CUWARP_UPDATE(less, fetch_min)
CUWARP_UPDATE(greater, fetch_max)
CUWARP_UPDATE(bit_and, fetch_and)
CUWARP_UPDATE(bit_or, fetch_or)
CUWARP_UPDATE(bit_xor, fetch_xor)
#undef CUWARP_UPDATE
// One atomic of the group's value; "async": who waits for it has to use another synchronisation.
template <typename G, typename A, typename T, typename F>
__device__ inline void reduce_update_async(const G &group, A &to, T v, F function) {
    T all = reduce(group, v, function);
    if (group.thread_rank() == 0) cuwarp_update(to, all, function);
}
template <typename G, typename A, typename T, typename F>
__device__ inline void reduce_store_async(const G &group, A &to, T v, F function) {
    T all = reduce(group, v, function);
    if (group.thread_rank() == 0) to.store(all);
}
}
