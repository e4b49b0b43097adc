// Half precision. Arithmetic is in intrinsics_half.def.
#pragma once
struct __half_raw {
    unsigned short x;
};
struct __align__(4) __half2_raw {
    unsigned short x, y;
};
struct __half;
__host__ __device__ __half __float2half(float a);
__host__ __device__ float __half2float(__half a);
struct __align__(2) __half {
    unsigned short __x;
    __half() = default;
    __host__ __device__ constexpr __half(__half_raw r) : __x(r.x) {}
    __host__ __device__ __half(float f) { *this = __float2half(f); }
    __host__ __device__ __half(double v) { *this = __float2half((float)v); }
    __host__ __device__ __half(int v) { *this = __float2half((float)v); }
    __host__ __device__ __half(unsigned v) { *this = __float2half((float)v); }
    __host__ __device__ __half(short v) { *this = __float2half((float)v); }
    __host__ __device__ __half(unsigned short v) { *this = __float2half((float)v); }
    __host__ __device__ __half(long v) { *this = __float2half((float)v); }
    __host__ __device__ __half(unsigned long v) { *this = __float2half((float)v); }
    __host__ __device__ __half(long long v) { *this = __float2half((float)v); }
    __host__ __device__ __half(unsigned long long v) { *this = __float2half((float)v); }
    __host__ __device__ operator float() const { return __half2float(*this); }
    __host__ __device__ operator __half_raw() const { return __half_raw{__x}; }
    __host__ __device__ explicit operator int() const { return (int)__half2float(*this); }
    __host__ __device__ explicit operator unsigned() const { return (unsigned)__half2float(*this); }
    __host__ __device__ explicit operator short() const { return (short)__half2float(*this); }
    __host__ __device__ explicit operator unsigned short() const { return (unsigned short)__half2float(*this); }
    __host__ __device__ explicit operator long long() const { return (long long)__half2float(*this); }
    __host__ __device__ explicit operator unsigned long long() const { return (unsigned long long)__half2float(*this); }
    __host__ __device__ explicit operator bool() const { return (bool)__half2float(*this); }
};
struct __align__(4) __half2 {
    __half x, y;
    __half2() = default;
    __host__ __device__ __half2(__half a, __half b) : x(a), y(b) {}
    __host__ __device__ __half2(__half2_raw r) : x(__half_raw{r.x}), y(__half_raw{r.y}) {}
    __host__ __device__ operator __half2_raw() const { return __half2_raw{x.__x, y.__x}; }
};
typedef __half half;
typedef __half2 half2;
typedef __half nv_half, __nv_half;
typedef __half2 nv_half2, __nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;
//@ half | __host__ __device__
//@ half.device | __device__
__host__ __device__ inline __half operator+(const __half &a, const __half &b) { return __hadd(a, b); }
__host__ __device__ inline __half &operator+=(__half &a, const __half &b) {
    a = __hadd(a, b);
    return a;
}
__host__ __device__ inline __half operator-(const __half &a, const __half &b) { return __hsub(a, b); }
__host__ __device__ inline __half &operator-=(__half &a, const __half &b) {
    a = __hsub(a, b);
    return a;
}
__host__ __device__ inline __half operator*(const __half &a, const __half &b) { return __hmul(a, b); }
__host__ __device__ inline __half &operator*=(__half &a, const __half &b) {
    a = __hmul(a, b);
    return a;
}
__host__ __device__ inline __half operator/(const __half &a, const __half &b) { return __hdiv(a, b); }
__host__ __device__ inline __half &operator/=(__half &a, const __half &b) {
    a = __hdiv(a, b);
    return a;
}
__host__ __device__ inline __half operator-(const __half &a) { return __hneg(a); }
__host__ __device__ inline __half operator+(const __half &a) { return a; }
__host__ __device__ inline bool operator==(const __half &a, const __half &b) { return __heq(a, b); }
__host__ __device__ inline bool operator!=(const __half &a, const __half &b) { return __hne(a, b); }
__host__ __device__ inline bool operator<(const __half &a, const __half &b) { return __hlt(a, b); }
__host__ __device__ inline bool operator<=(const __half &a, const __half &b) { return __hle(a, b); }
__host__ __device__ inline bool operator>(const __half &a, const __half &b) { return __hgt(a, b); }
__host__ __device__ inline bool operator>=(const __half &a, const __half &b) { return __hge(a, b); }
__host__ __device__ inline __half2 operator+(const __half2 &a, const __half2 &b) { return __hadd2(a, b); }
__host__ __device__ inline __half2 &operator+=(__half2 &a, const __half2 &b) {
    a = __hadd2(a, b);
    return a;
}
__host__ __device__ inline __half2 operator-(const __half2 &a, const __half2 &b) { return __hsub2(a, b); }
__host__ __device__ inline __half2 &operator-=(__half2 &a, const __half2 &b) {
    a = __hsub2(a, b);
    return a;
}
__host__ __device__ inline __half2 operator*(const __half2 &a, const __half2 &b) { return __hmul2(a, b); }
__host__ __device__ inline __half2 &operator*=(__half2 &a, const __half2 &b) {
    a = __hmul2(a, b);
    return a;
}
__host__ __device__ inline __half2 operator/(const __half2 &a, const __half2 &b) { return __h2div(a, b); }
__host__ __device__ inline __half2 &operator/=(__half2 &a, const __half2 &b) {
    a = __h2div(a, b);
    return a;
}
__host__ __device__ inline __half2 operator-(const __half2 &a) { return __hneg2(a); }
__host__ __device__ inline __half2 operator+(const __half2 &a) { return a; }
__host__ __device__ inline bool operator==(const __half2 &a, const __half2 &b) { return __hbeq2(a, b); }
__host__ __device__ inline bool operator!=(const __half2 &a, const __half2 &b) { return __hbne2(a, b); }
__host__ __device__ inline bool operator<(const __half2 &a, const __half2 &b) { return __hblt2(a, b); }
__host__ __device__ inline bool operator<=(const __half2 &a, const __half2 &b) { return __hble2(a, b); }
__host__ __device__ inline bool operator>(const __half2 &a, const __half2 &b) { return __hbgt2(a, b); }
__host__ __device__ inline bool operator>=(const __half2 &a, const __half2 &b) { return __hbge2(a, b); }
__host__ __device__ inline __half &operator++(__half &a) {
    a = __hadd(a, __half(1.0f));
    return a;
}
__host__ __device__ inline __half &operator--(__half &a) {
    a = __hsub(a, __half(1.0f));
    return a;
}
