// The part of <utility> and <algorithm> that every other header leans on.
#pragma once
#include "cuwarp/traits.h"
namespace std {
template <typename T> constexpr T &&forward(typename remove_reference<T>::type &x) noexcept {
    return static_cast<T &&>(x);
}
template <typename T> constexpr T &&forward(typename remove_reference<T>::type &&x) noexcept {
    return static_cast<T &&>(x);
}
template <typename T> constexpr typename remove_reference<T>::type &&move(T &&x) noexcept {
    return static_cast<typename remove_reference<T>::type &&>(x);
}
template <typename T> constexpr const T &as_const(T &x) noexcept { return x; }
template <typename T> constexpr T *addressof(T &x) noexcept { return __builtin_addressof(x); }
template <typename T>
CUWARP_CONSTEXPR void swap(T &a, T &b) noexcept(__is_nothrow_constructible(T, T) && __is_nothrow_assignable(T &, T)) {
    T c = static_cast<T &&>(a);
    a = static_cast<T &&>(b);
    b = static_cast<T &&>(c);
}
template <typename T, size_t n> CUWARP_CONSTEXPR void swap(T (&a)[n], T (&b)[n]) {
    for (size_t i = 0; i < n; i++) swap(a[i], b[i]);
}
template <typename T, typename U = T> CUWARP_CONSTEXPR T exchange(T &x, U &&value) {
    T old = static_cast<T &&>(x);
    x = static_cast<U &&>(value);
    return old;
}
template <typename T> constexpr T min(const T &a, const T &b) { return b < a ? b : a; }
template <typename T> constexpr T max(const T &a, const T &b) { return a < b ? b : a; }
template <typename T, typename F> constexpr T min(const T &a, const T &b, F less) { return less(b, a) ? b : a; }
template <typename T, typename F> constexpr T max(const T &a, const T &b, F less) { return less(a, b) ? b : a; }
template <typename T> constexpr T clamp(const T &v, const T &lo, const T &hi) { return v < lo ? lo : hi < v ? hi : v; }
}
