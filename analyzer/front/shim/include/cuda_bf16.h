// bfloat16. Arithmetic is in intrinsics_half.def.
#pragma once
#include "cuda_fp16.h"
struct __nv_bfloat16_raw {
    unsigned short x;
};
struct __align__(4) __nv_bfloat162_raw {
    unsigned short x, y;
};
struct __nv_bfloat16;
__host__ __device__ __nv_bfloat16 __float2bfloat16(float a);
__host__ __device__ float __bfloat162float(__nv_bfloat16 a);
struct __align__(2) __nv_bfloat16 {
    unsigned short __x;
    __nv_bfloat16() = default;
    __host__ __device__ constexpr __nv_bfloat16(__nv_bfloat16_raw r) : __x(r.x) {}
    __host__ __device__ __nv_bfloat16(float f) { *this = __float2bfloat16(f); }
    __host__ __device__ __nv_bfloat16(double v) { *this = __float2bfloat16((float)v); }
    __host__ __device__ __nv_bfloat16(int v) { *this = __float2bfloat16((float)v); }
    __host__ __device__ __nv_bfloat16(unsigned v) { *this = __float2bfloat16((float)v); }
    __host__ __device__ __nv_bfloat16(short v) { *this = __float2bfloat16((float)v); }
    __host__ __device__ __nv_bfloat16(unsigned short v) { *this = __float2bfloat16((float)v); }
    __host__ __device__ __nv_bfloat16(long v) { *this = __float2bfloat16((float)v); }
    __host__ __device__ __nv_bfloat16(unsigned long v) { *this = __float2bfloat16((float)v); }
    __host__ __device__ __nv_bfloat16(long long v) { *this = __float2bfloat16((float)v); }
    __host__ __device__ __nv_bfloat16(unsigned long long v) { *this = __float2bfloat16((float)v); }
    __host__ __device__ operator float() const { return __bfloat162float(*this); }
    __host__ __device__ operator __nv_bfloat16_raw() const { return __nv_bfloat16_raw{__x}; }
    __host__ __device__ explicit operator int() const { return (int)__bfloat162float(*this); }
    __host__ __device__ explicit operator unsigned() const { return (unsigned)__bfloat162float(*this); }
    __host__ __device__ explicit operator short() const { return (short)__bfloat162float(*this); }
    __host__ __device__ explicit operator unsigned short() const { return (unsigned short)__bfloat162float(*this); }
    __host__ __device__ explicit operator long long() const { return (long long)__bfloat162float(*this); }
    __host__ __device__ explicit operator unsigned long long() const {
        return (unsigned long long)__bfloat162float(*this);
    }
    __host__ __device__ explicit operator bool() const { return (bool)__bfloat162float(*this); }
};
struct __align__(4) __nv_bfloat162 {
    __nv_bfloat16 x, y;
    __nv_bfloat162() = default;
    __host__ __device__ __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b) {}
    __host__ __device__ __nv_bfloat162(__nv_bfloat162_raw r) : x(__nv_bfloat16_raw{r.x}), y(__nv_bfloat16_raw{r.y}) {}
    __host__ __device__ operator __nv_bfloat162_raw() const { return __nv_bfloat162_raw{x.__x, y.__x}; }
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
//@ bf16 | __host__ __device__
//@ bf16.device | __device__
__host__ __device__ inline __nv_bfloat16 operator+(const __nv_bfloat16 &a, const __nv_bfloat16 &b) {
    return __hadd(a, b);
}
__host__ __device__ inline __nv_bfloat16 &operator+=(__nv_bfloat16 &a, const __nv_bfloat16 &b) {
    a = __hadd(a, b);
    return a;
}
__host__ __device__ inline __nv_bfloat16 operator-(const __nv_bfloat16 &a, const __nv_bfloat16 &b) {
    return __hsub(a, b);
}
__host__ __device__ inline __nv_bfloat16 &operator-=(__nv_bfloat16 &a, const __nv_bfloat16 &b) {
    a = __hsub(a, b);
    return a;
}
__host__ __device__ inline __nv_bfloat16 operator*(const __nv_bfloat16 &a, const __nv_bfloat16 &b) {
    return __hmul(a, b);
}
__host__ __device__ inline __nv_bfloat16 &operator*=(__nv_bfloat16 &a, const __nv_bfloat16 &b) {
    a = __hmul(a, b);
    return a;
}
__host__ __device__ inline __nv_bfloat16 operator/(const __nv_bfloat16 &a, const __nv_bfloat16 &b) {
    return __hdiv(a, b);
}
__host__ __device__ inline __nv_bfloat16 &operator/=(__nv_bfloat16 &a, const __nv_bfloat16 &b) {
    a = __hdiv(a, b);
    return a;
}
__host__ __device__ inline __nv_bfloat16 operator-(const __nv_bfloat16 &a) { return __hneg(a); }
__host__ __device__ inline __nv_bfloat16 operator+(const __nv_bfloat16 &a) { return a; }
__host__ __device__ inline bool operator==(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return __heq(a, b); }
__host__ __device__ inline bool operator!=(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return __hne(a, b); }
__host__ __device__ inline bool operator<(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return __hlt(a, b); }
__host__ __device__ inline bool operator<=(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return __hle(a, b); }
__host__ __device__ inline bool operator>(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return __hgt(a, b); }
__host__ __device__ inline bool operator>=(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return __hge(a, b); }
__host__ __device__ inline __nv_bfloat162 operator+(const __nv_bfloat162 &a, const __nv_bfloat162 &b) {
    return __hadd2(a, b);
}
__host__ __device__ inline __nv_bfloat162 &operator+=(__nv_bfloat162 &a, const __nv_bfloat162 &b) {
    a = __hadd2(a, b);
    return a;
}
__host__ __device__ inline __nv_bfloat162 operator-(const __nv_bfloat162 &a, const __nv_bfloat162 &b) {
    return __hsub2(a, b);
}
__host__ __device__ inline __nv_bfloat162 &operator-=(__nv_bfloat162 &a, const __nv_bfloat162 &b) {
    a = __hsub2(a, b);
    return a;
}
__host__ __device__ inline __nv_bfloat162 operator*(const __nv_bfloat162 &a, const __nv_bfloat162 &b) {
    return __hmul2(a, b);
}
__host__ __device__ inline __nv_bfloat162 &operator*=(__nv_bfloat162 &a, const __nv_bfloat162 &b) {
    a = __hmul2(a, b);
    return a;
}
__host__ __device__ inline __nv_bfloat162 operator/(const __nv_bfloat162 &a, const __nv_bfloat162 &b) {
    return __h2div(a, b);
}
__host__ __device__ inline __nv_bfloat162 &operator/=(__nv_bfloat162 &a, const __nv_bfloat162 &b) {
    a = __h2div(a, b);
    return a;
}
__host__ __device__ inline __nv_bfloat162 operator-(const __nv_bfloat162 &a) { return __hneg2(a); }
__host__ __device__ inline __nv_bfloat162 operator+(const __nv_bfloat162 &a) { return a; }
__host__ __device__ inline bool operator==(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return __hbeq2(a, b); }
__host__ __device__ inline bool operator!=(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return __hbne2(a, b); }
__host__ __device__ inline bool operator<(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return __hblt2(a, b); }
__host__ __device__ inline bool operator<=(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return __hble2(a, b); }
__host__ __device__ inline bool operator>(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return __hbgt2(a, b); }
__host__ __device__ inline bool operator>=(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return __hbge2(a, b); }
__host__ __device__ inline __nv_bfloat16 &operator++(__nv_bfloat16 &a) {
    a = __hadd(a, __nv_bfloat16(1.0f));
    return a;
}
__host__ __device__ inline __nv_bfloat16 &operator--(__nv_bfloat16 &a) {
    a = __hsub(a, __nv_bfloat16(1.0f));
    return a;
}
