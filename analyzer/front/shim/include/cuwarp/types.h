// Fundamental names that every translation unit may use: sizes, fixed-width integers.
#pragma once
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef decltype(nullptr) cuwarp_nullptr_t;
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long uint64_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
typedef long ssize_t;
typedef unsigned int uint;
typedef unsigned short ushort;
typedef unsigned long ulong;
#define NULL __null
#define offsetof(type, member) __builtin_offsetof(type, member)
namespace std {
using ::size_t;
using ::ptrdiff_t;
typedef decltype(nullptr) nullptr_t;
}
