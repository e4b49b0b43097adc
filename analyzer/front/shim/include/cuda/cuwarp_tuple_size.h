// Templates of cuda::std that programs specialise there.
#pragma once
#include "utility"
namespace cuda {
namespace std {
template <typename T> struct tuple_size : ::std::tuple_size<T> {};
template <size_t i, typename T> struct tuple_element : ::std::tuple_element<i, T> {};
}
}
