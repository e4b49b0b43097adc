// The operators as objects.
#pragma once
#include "cuwarp/types.h"
namespace std {
template <typename T = void> struct plus {
    constexpr T operator()(const T &a, const T &b) const { return a + b; }
};
template <typename T = void> struct minus {
    constexpr T operator()(const T &a, const T &b) const { return a - b; }
};
template <typename T = void> struct multiplies {
    constexpr T operator()(const T &a, const T &b) const { return a * b; }
};
template <typename T = void> struct divides {
    constexpr T operator()(const T &a, const T &b) const { return a / b; }
};
template <typename T = void> struct modulus {
    constexpr T operator()(const T &a, const T &b) const { return a % b; }
};
template <typename T = void> struct negate {
    constexpr T operator()(const T &a) const { return -a; }
};
template <typename T = void> struct bit_and {
    constexpr T operator()(const T &a, const T &b) const { return a & b; }
};
template <typename T = void> struct bit_or {
    constexpr T operator()(const T &a, const T &b) const { return a | b; }
};
template <typename T = void> struct bit_xor {
    constexpr T operator()(const T &a, const T &b) const { return a ^ b; }
};
template <typename T = void> struct less {
    constexpr bool operator()(const T &a, const T &b) const { return a < b; }
};
template <typename T = void> struct greater {
    constexpr bool operator()(const T &a, const T &b) const { return a > b; }
};
template <typename T = void> struct less_equal {
    constexpr bool operator()(const T &a, const T &b) const { return a <= b; }
};
template <typename T = void> struct greater_equal {
    constexpr bool operator()(const T &a, const T &b) const { return a >= b; }
};
template <typename T = void> struct equal_to {
    constexpr bool operator()(const T &a, const T &b) const { return a == b; }
};
template <typename T = void> struct not_equal_to {
    constexpr bool operator()(const T &a, const T &b) const { return a != b; }
};
template <typename T = void> struct logical_and {
    constexpr bool operator()(const T &a, const T &b) const { return a && b; }
};
template <typename T = void> struct logical_or {
    constexpr bool operator()(const T &a, const T &b) const { return a || b; }
};
template <typename T = void> struct logical_not {
    constexpr bool operator()(const T &a) const { return !a; }
};
#define CUWARP_TRANSPARENT(name, op)                                                                                   \
    template <> struct name<void> {                                                                                    \
        template <typename A, typename B> constexpr auto operator()(const A &a, const B &b) const                      \
            -> decltype(a op b) {                                                                                      \
            return a op b;                                                                                             \
        }                                                                                                              \
    };
CUWARP_TRANSPARENT(plus, +)
CUWARP_TRANSPARENT(minus, -) CUWARP_TRANSPARENT(multiplies, *) CUWARP_TRANSPARENT(divides, /)
    CUWARP_TRANSPARENT(modulus, %) CUWARP_TRANSPARENT(bit_and, &) CUWARP_TRANSPARENT(bit_or, |)
        CUWARP_TRANSPARENT(bit_xor, ^) CUWARP_TRANSPARENT(less, <) CUWARP_TRANSPARENT(greater, >)
            CUWARP_TRANSPARENT(less_equal, <=) CUWARP_TRANSPARENT(greater_equal, >=) CUWARP_TRANSPARENT(equal_to, ==)
                CUWARP_TRANSPARENT(not_equal_to, !=) CUWARP_TRANSPARENT(logical_and, &&)
                    CUWARP_TRANSPARENT(logical_or, ||)
#undef CUWARP_TRANSPARENT
}
