#pragma once
#include "thrust/cuwarp_thrust.h"
namespace thrust {
template <typename I> struct is_contiguous_iterator : std::false_type {};
template <typename T> struct is_contiguous_iterator<T *> : std::true_type {};
template <typename I> constexpr bool is_contiguous_iterator_v = is_contiguous_iterator<I>::value;
}
