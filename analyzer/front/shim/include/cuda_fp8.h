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
struct __nv_fp8_e4m3 {
    __nv_fp8_storage_t __x;
    __nv_fp8_e4m3() = default;
    __host__ __device__ explicit __nv_fp8_e4m3(float f) : __x(__nv_cvt_float_to_fp8(f, __NV_SATFINITE, __NV_E4M3)) {}
    __host__ __device__ explicit __nv_fp8_e4m3(double f)
        : __x(__nv_cvt_double_to_fp8(f, __NV_SATFINITE, __NV_E4M3)) {}
    __host__ __device__ explicit __nv_fp8_e4m3(int f) : __nv_fp8_e4m3((float)f) {}
    __host__ __device__ explicit __nv_fp8_e4m3(unsigned f) : __nv_fp8_e4m3((float)f) {}
    __host__ __device__ explicit __nv_fp8_e4m3(__nv_bfloat16 f) : __nv_fp8_e4m3(__bfloat162float(f)) {}
    __host__ __device__ explicit __nv_fp8_e4m3(__half f)
        : __x(__nv_cvt_float_to_fp8((float)f, __NV_SATFINITE, __NV_E4M3)) {}
    __host__ __device__ explicit operator float() const {
        return __half2float(__half(__nv_cvt_fp8_to_halfraw(__x, __NV_E4M3)));
    }
    __host__ __device__ explicit operator __half() const { return __half(__nv_cvt_fp8_to_halfraw(__x, __NV_E4M3)); }
};
struct __nv_fp8x2_e4m3 {
    __nv_fp8x2_storage_t __x;
    __nv_fp8x2_e4m3() = default;
    __host__ __device__ explicit __nv_fp8x2_e4m3(float2 f)
        : __x(__nv_cvt_float2_to_fp8x2(f, __NV_SATFINITE, __NV_E4M3)) {}
    __host__ __device__ explicit __nv_fp8x2_e4m3(__half2 f) : __nv_fp8x2_e4m3(__half22float2(f)) {}
    __host__ __device__ explicit __nv_fp8x2_e4m3(__nv_bfloat162 f) : __nv_fp8x2_e4m3(__bfloat1622float2(f)) {}
    __host__ __device__ explicit operator __half2() const {
        return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, __NV_E4M3));
    }
    __host__ __device__ explicit operator float2() const {
        return __half22float2(__half2(__nv_cvt_fp8x2_to_halfraw2(__x, __NV_E4M3)));
    }
};
struct __nv_fp8x4_e4m3 {
    __nv_fp8x4_storage_t __x;
    __nv_fp8x4_e4m3() = default;
    __host__ __device__ explicit __nv_fp8x4_e4m3(float4 f)
        : __x(__nv_fp8x2_e4m3(make_float2(f.x, f.y)).__x |
              (__nv_fp8x4_storage_t)__nv_fp8x2_e4m3(make_float2(f.z, f.w)).__x << 16) {}
    __host__ __device__ explicit __nv_fp8x4_e4m3(__half2 low, __half2 high)
        : __x(__nv_fp8x2_e4m3(low).__x | (__nv_fp8x4_storage_t)__nv_fp8x2_e4m3(high).__x << 16) {}
    __host__ __device__ explicit __nv_fp8x4_e4m3(__nv_bfloat162 low, __nv_bfloat162 high)
        : __x(__nv_fp8x2_e4m3(low).__x | (__nv_fp8x4_storage_t)__nv_fp8x2_e4m3(high).__x << 16) {}
    __host__ __device__ explicit operator float4() const {
        __nv_fp8x2_e4m3 low, high;
        low.__x = (__nv_fp8x2_storage_t)__x;
        high.__x = (__nv_fp8x2_storage_t)(__x >> 16);
        const float2 a = (float2)low, b = (float2)high;
        return make_float4(a.x, a.y, b.x, b.y);
    }
};
struct __nv_fp8_e5m2 {
    __nv_fp8_storage_t __x;
    __nv_fp8_e5m2() = default;
    __host__ __device__ explicit __nv_fp8_e5m2(float f) : __x(__nv_cvt_float_to_fp8(f, __NV_SATFINITE, __NV_E5M2)) {}
    __host__ __device__ explicit __nv_fp8_e5m2(double f)
        : __x(__nv_cvt_double_to_fp8(f, __NV_SATFINITE, __NV_E5M2)) {}
    __host__ __device__ explicit __nv_fp8_e5m2(int f) : __nv_fp8_e5m2((float)f) {}
    __host__ __device__ explicit __nv_fp8_e5m2(unsigned f) : __nv_fp8_e5m2((float)f) {}
    __host__ __device__ explicit __nv_fp8_e5m2(__nv_bfloat16 f) : __nv_fp8_e5m2(__bfloat162float(f)) {}
    __host__ __device__ explicit __nv_fp8_e5m2(__half f)
        : __x(__nv_cvt_float_to_fp8((float)f, __NV_SATFINITE, __NV_E5M2)) {}
    __host__ __device__ explicit operator float() const {
        return __half2float(__half(__nv_cvt_fp8_to_halfraw(__x, __NV_E5M2)));
    }
    __host__ __device__ explicit operator __half() const { return __half(__nv_cvt_fp8_to_halfraw(__x, __NV_E5M2)); }
};
struct __nv_fp8x2_e5m2 {
    __nv_fp8x2_storage_t __x;
    __nv_fp8x2_e5m2() = default;
    __host__ __device__ explicit __nv_fp8x2_e5m2(float2 f)
        : __x(__nv_cvt_float2_to_fp8x2(f, __NV_SATFINITE, __NV_E5M2)) {}
    __host__ __device__ explicit __nv_fp8x2_e5m2(__half2 f) : __nv_fp8x2_e5m2(__half22float2(f)) {}
    __host__ __device__ explicit __nv_fp8x2_e5m2(__nv_bfloat162 f) : __nv_fp8x2_e5m2(__bfloat1622float2(f)) {}
    __host__ __device__ explicit operator __half2() const {
        return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, __NV_E5M2));
    }
    __host__ __device__ explicit operator float2() const {
        return __half22float2(__half2(__nv_cvt_fp8x2_to_halfraw2(__x, __NV_E5M2)));
    }
};
struct __nv_fp8x4_e5m2 {
    __nv_fp8x4_storage_t __x;
    __nv_fp8x4_e5m2() = default;
    __host__ __device__ explicit __nv_fp8x4_e5m2(float4 f)
        : __x(__nv_fp8x2_e5m2(make_float2(f.x, f.y)).__x |
              (__nv_fp8x4_storage_t)__nv_fp8x2_e5m2(make_float2(f.z, f.w)).__x << 16) {}
    __host__ __device__ explicit __nv_fp8x4_e5m2(__half2 low, __half2 high)
        : __x(__nv_fp8x2_e5m2(low).__x | (__nv_fp8x4_storage_t)__nv_fp8x2_e5m2(high).__x << 16) {}
    __host__ __device__ explicit __nv_fp8x4_e5m2(__nv_bfloat162 low, __nv_bfloat162 high)
        : __x(__nv_fp8x2_e5m2(low).__x | (__nv_fp8x4_storage_t)__nv_fp8x2_e5m2(high).__x << 16) {}
    __host__ __device__ explicit operator float4() const {
        __nv_fp8x2_e5m2 low, high;
        low.__x = (__nv_fp8x2_storage_t)__x;
        high.__x = (__nv_fp8x2_storage_t)(__x >> 16);
        const float2 a = (float2)low, b = (float2)high;
        return make_float4(a.x, a.y, b.x, b.y);
    }
};
struct __nv_fp8_e8m0 {
    __nv_fp8_storage_t __x;
};
