// The operators as objects.
#pragma once
#include "cuwarp/types.h"
namespace std {
template <typename A, typename R> struct unary_function {
    typedef A argument_type;
    typedef R result_type;
};
template <typename A, typename B, typename R> struct binary_function {
    typedef A first_argument_type;
    typedef B second_argument_type;
    typedef R result_type;
};
template <typename T = void> struct plus : binary_function<T, T, T> {
    constexpr T operator()(const T &a, const T &b) const { return a + b; }
};
template <typename T = void> struct minus : binary_function<T, T, T> {
    constexpr T operator()(const T &a, const T &b) const { return a - b; }
};
template <typename T = void> struct multiplies : binary_function<T, T, T> {
    constexpr T operator()(const T &a, const T &b) const { return a * b; }
};
template <typename T = void> struct divides : binary_function<T, T, T> {
    constexpr T operator()(const T &a, const T &b) const { return a / b; }
};
template <typename T = void> struct modulus : binary_function<T, T, T> {
    constexpr T operator()(const T &a, const T &b) const { return a % b; }
};
template <typename T = void> struct negate : unary_function<T, T> {
    constexpr T operator()(const T &a) const { return -a; }
};
template <typename T = void> struct bit_and : binary_function<T, T, T> {
    constexpr T operator()(const T &a, const T &b) const { return a & b; }
};
template <typename T = void> struct bit_or : binary_function<T, T, T> {
    constexpr T operator()(const T &a, const T &b) const { return a | b; }
};
template <typename T = void> struct bit_xor : binary_function<T, T, T> {
    constexpr T operator()(const T &a, const T &b) const { return a ^ b; }
};
template <typename T = void> struct less : binary_function<T, T, bool> {
    constexpr bool operator()(const T &a, const T &b) const { return a < b; }
};
template <typename T = void> struct greater : binary_function<T, T, bool> {
    constexpr bool operator()(const T &a, const T &b) const { return a > b; }
};
template <typename T = void> struct less_equal : binary_function<T, T, bool> {
    constexpr bool operator()(const T &a, const T &b) const { return a <= b; }
};
template <typename T = void> struct greater_equal : binary_function<T, T, bool> {
    constexpr bool operator()(const T &a, const T &b) const { return a >= b; }
};
template <typename T = void> struct equal_to : binary_function<T, T, bool> {
    constexpr bool operator()(const T &a, const T &b) const { return a == b; }
};
template <typename T = void> struct not_equal_to : binary_function<T, T, bool> {
    constexpr bool operator()(const T &a, const T &b) const { return a != b; }
};
template <typename T = void> struct logical_and : binary_function<T, T, bool> {
    constexpr bool operator()(const T &a, const T &b) const { return a && b; }
};
template <typename T = void> struct logical_or : binary_function<T, T, bool> {
    constexpr bool operator()(const T &a, const T &b) const { return a || b; }
};
template <typename T = void> struct logical_not : unary_function<T, bool> {
    constexpr bool operator()(const T &a) const { return !a; }
};
template <typename T = void> struct bit_not : unary_function<T, T> {
    constexpr T operator()(const T &a) const { return ~a; }
};
#define CUWARP_TRANSPARENT(name, op)                                                                                   \
    template <> struct name<void> {                                                                                    \
        typedef void is_transparent;                                                                                   \
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
#define CUWARP_TRANSPARENT(name, op)                                                                                   \
    template <> struct name<void> {                                                                                    \
        typedef void is_transparent;                                                                                   \
        template <typename A> constexpr auto operator()(const A &a) const -> decltype(op a) { return op a; }           \
    };
CUWARP_TRANSPARENT(negate, -) CUWARP_TRANSPARENT(logical_not, !) CUWARP_TRANSPARENT(bit_not, ~)
#undef CUWARP_TRANSPARENT
}
