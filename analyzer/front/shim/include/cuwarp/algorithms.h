// The algorithms that containers come with, in other libraries too.
#pragma once
#include "cuwarp/move.h"
namespace std {
template <typename I, typename T> CUWARP_CONSTEXPR void fill(I a, I b, const T &v) {
    for (; a != b; ++a) *a = v;
}
template <typename I, typename N, typename T> CUWARP_CONSTEXPR I fill_n(I a, N n, const T &v) {
    for (; n > 0; --n, ++a) *a = v;
    return a;
}
template <typename I, typename O> CUWARP_CONSTEXPR O copy(I a, I b, O o) {
    for (; a != b; ++a, ++o) *o = *a;
    return o;
}
template <typename I, typename O> O move(I a, I b, O o);
template <typename I, typename O> O copy_backward(I a, I b, O o);
template <typename I, typename O> O move_backward(I a, I b, O o);
template <typename I, typename J, typename... F> bool equal(I a, I b, J j, F... f);
template <typename I, typename J, typename... F> bool lexicographical_compare(I a, I b, J c, J d, F... f);
template <typename I, typename J> J swap_ranges(I a, I b, J j);
template <typename A, typename B> void iter_swap(A a, B b);
}
