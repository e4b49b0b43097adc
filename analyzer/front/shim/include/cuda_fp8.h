// 8-bit floats: storage and conversions.
#pragma once
#include "cuda_fp16.h"
#include "cuda_bf16.h"
typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };
enum __nv_fp4_interpretation_t { __NV_E2M1 };
enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };
//@ fp8 | __host__ __device__
#define CUWARP_FP8_FROM(type) __host__ __device__ explicit CUWARP_FP8_NAME(type v) : CUWARP_FP8_NAME((float)v) {}
#define CUWARP_FP8_TO(type)                                                                                            \
    __host__ __device__ explicit operator type() const { return (type)__half2float((__half)*this); }
#define CUWARP_FP8(kind)                                                                                               \
    __nv_fp8_storage_t __x;                                                                                            \
    CUWARP_FP8_NAME() = default;                                                                                       \
    __host__ __device__ explicit CUWARP_FP8_NAME(float f) : __x(__nv_cvt_float_to_fp8(f, __NV_SATFINITE, kind)) {}     \
    __host__ __device__ explicit CUWARP_FP8_NAME(double f) : __x(__nv_cvt_double_to_fp8(f, __NV_SATFINITE, kind)) {}   \
    __host__ __device__ explicit CUWARP_FP8_NAME(__half f)                                                             \
        : __x(__nv_cvt_halfraw_to_fp8((__half_raw)f, __NV_SATFINITE, kind)) {}                                         \
    __host__ __device__ explicit CUWARP_FP8_NAME(__nv_bfloat16 f)                                                      \
        : __x(__nv_cvt_bfloat16raw_to_fp8((__nv_bfloat16_raw)f, __NV_SATFINITE, kind)) {}                              \
    CUWARP_FP8_FROM(unsigned short)                                                                                    \
    CUWARP_FP8_FROM(unsigned)                                                                                          \
    CUWARP_FP8_FROM(unsigned long)                                                                                     \
    CUWARP_FP8_FROM(unsigned long long)                                                                                \
    CUWARP_FP8_FROM(short)                                                                                             \
    CUWARP_FP8_FROM(int)                                                                                               \
    CUWARP_FP8_FROM(long)                                                                                              \
    CUWARP_FP8_FROM(long long)                                                                                         \
    __host__ __device__ explicit operator __half() const { return __half(__nv_cvt_fp8_to_halfraw(__x, kind)); }        \
    __host__ __device__ explicit operator __nv_bfloat16() const { return __float2bfloat16((float)*this); }             \
    CUWARP_FP8_TO(float)                                                                                               \
    CUWARP_FP8_TO(double)                                                                                              \
    CUWARP_FP8_TO(unsigned char)                                                                                       \
    CUWARP_FP8_TO(unsigned short)                                                                                      \
    CUWARP_FP8_TO(unsigned)                                                                                            \
    CUWARP_FP8_TO(unsigned long)                                                                                       \
    CUWARP_FP8_TO(unsigned long long)                                                                                  \
    CUWARP_FP8_TO(signed char)                                                                                         \
    CUWARP_FP8_TO(char)                                                                                                \
    CUWARP_FP8_TO(short)                                                                                               \
    CUWARP_FP8_TO(int)                                                                                                 \
    CUWARP_FP8_TO(long)                                                                                                \
    CUWARP_FP8_TO(long long)                                                                                           \
    __host__ __device__ explicit operator bool() const { return (float)*this != 0; }
#define CUWARP_FP8_PAIR(kind)                                                                                          \
    __nv_fp8x2_storage_t __x;                                                                                          \
    CUWARP_FP8_NAME() = default;                                                                                       \
    __host__ __device__ explicit CUWARP_FP8_NAME(float2 f) : __x(__nv_cvt_float2_to_fp8x2(f, __NV_SATFINITE, kind)) {} \
    __host__ __device__ explicit CUWARP_FP8_NAME(__half2 f)                                                            \
        : __x(__nv_cvt_halfraw2_to_fp8x2((__half2_raw)f, __NV_SATFINITE, kind)) {}                                     \
    __host__ __device__ explicit CUWARP_FP8_NAME(__nv_bfloat162 f)                                                     \
        : __x(__nv_cvt_bfloat16raw2_to_fp8x2((__nv_bfloat162_raw)f, __NV_SATFINITE, kind)) {}                          \
    __host__ __device__ explicit operator __half2() const { return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, kind)); }   \
    __host__ __device__ explicit operator float2() const { return __half22float2((__half2)*this); }
#define CUWARP_FP8_FOUR(pair)                                                                                          \
    __nv_fp8x4_storage_t __x;                                                                                          \
    CUWARP_FP8_NAME() = default;                                                                                       \
    template <typename T> __host__ __device__ explicit CUWARP_FP8_NAME(T low, T high)                                  \
        : __x(pair(low).__x | (__nv_fp8x4_storage_t)pair(high).__x << 16) {}                                           \
    __host__ __device__ explicit CUWARP_FP8_NAME(float4 f)                                                             \
        : CUWARP_FP8_NAME(make_float2(f.x, f.y), make_float2(f.z, f.w)) {}                                             \
    __host__ __device__ explicit operator float4() const {                                                             \
        pair low, high;                                                                                                \
        low.__x = (__nv_fp8x2_storage_t)__x;                                                                           \
        high.__x = (__nv_fp8x2_storage_t)(__x >> 16);                                                                  \
        const float2 a = (float2)low, b = (float2)high;                                                                \
        return make_float4(a.x, a.y, b.x, b.y);                                                                        \
    }
#define CUWARP_FP8_NAME __nv_fp8_e4m3
struct __nv_fp8_e4m3 {
    CUWARP_FP8(__NV_E4M3)
};
#undef CUWARP_FP8_NAME
#define CUWARP_FP8_NAME __nv_fp8x2_e4m3
struct __nv_fp8x2_e4m3 {
    CUWARP_FP8_PAIR(__NV_E4M3)
};
#undef CUWARP_FP8_NAME
#define CUWARP_FP8_NAME __nv_fp8x4_e4m3
struct __nv_fp8x4_e4m3 {
    CUWARP_FP8_FOUR(__nv_fp8x2_e4m3)
};
#undef CUWARP_FP8_NAME
#define CUWARP_FP8_NAME __nv_fp8_e5m2
struct __nv_fp8_e5m2 {
    CUWARP_FP8(__NV_E5M2)
};
#undef CUWARP_FP8_NAME
#define CUWARP_FP8_NAME __nv_fp8x2_e5m2
struct __nv_fp8x2_e5m2 {
    CUWARP_FP8_PAIR(__NV_E5M2)
};
#undef CUWARP_FP8_NAME
#define CUWARP_FP8_NAME __nv_fp8x4_e5m2
struct __nv_fp8x4_e5m2 {
    CUWARP_FP8_FOUR(__nv_fp8x2_e5m2)
};
#undef CUWARP_FP8_NAME
struct __nv_fp8_e8m0 {
    __nv_fp8_storage_t __x;
};
