#define A B
#define B A
#define F(x) G(x) x
#define G(x) F(x) #x x##x
#define V(...) __VA_ARGS__, ##__VA_ARGS__
#define E()
#define LOOP(i, n) for (int i = threadIdx.x; i < (n); i += blockDim.x)
#define HD __host__ __device__
#ifdef A
#ifndef C
#if 1 ? defined C : 0 || (A == 3) && -1 < 2u % 3 / 0
#elif __has_include("x.h")
#endif
#else
#endif
#undef A
HD int F(1);
_Pragma("unroll") __global__ void k(int *p) { E() LOOP(i, 3) { p[i] = A(V(1)); } F( }
#include "macros.cu"
#include_next <
#if
#else
#else
