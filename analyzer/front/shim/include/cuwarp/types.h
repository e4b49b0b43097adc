// Fundamental names that every translation unit may use: sizes, fixed-width integers.
#pragma once
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef decltype(nullptr) cuwarp_nullptr_t;
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t, __int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long uint64_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
typedef long ssize_t;
typedef long clock_t;
typedef unsigned int uint;
typedef unsigned short ushort;
typedef unsigned long ulong;
// What C++11 does not allow in a constexpr function.
#if __cplusplus >= 201402L
#define CUWARP_CONSTEXPR constexpr
#else
#define CUWARP_CONSTEXPR inline
#endif
#define NULL __null
#define offsetof(type, member) __builtin_offsetof(type, member)
// nvcc takes alignas behind __shared__, clang does not; the GNU attribute may stand anywhere.
template <typename T> constexpr size_t cuwarp_alignas() { return alignof(T); }
template <typename T, typename U, typename... V> constexpr size_t cuwarp_alignas() {
    return cuwarp_alignas<T>() > cuwarp_alignas<U, V...>() ? cuwarp_alignas<T>() : cuwarp_alignas<U, V...>();
}
template <size_t n> constexpr size_t cuwarp_alignas() { return n; }
#define alignas(...) __attribute__((aligned(cuwarp_alignas<__VA_ARGS__>())))
namespace std {
using ::size_t;
using ::ptrdiff_t;
typedef decltype(nullptr) nullptr_t;
}
