// 4-bit floats: storage only.
#pragma once
#include "cuda_fp8.h"
struct __nv_fp4_e2m1 {
    unsigned char __x;
};
struct __nv_fp4x2_e2m1 {
    unsigned char __x;
    __nv_fp4x2_e2m1() = default;
    __host__ __device__ explicit __nv_fp4x2_e2m1(float2 f)
        : __x(__nv_cvt_float2_to_fp4x2(f, __NV_E2M1, cudaRoundNearest)) {}
};
struct __nv_fp4x4_e2m1 {
    unsigned short __x;
    __nv_fp4x4_e2m1() = default;
    __host__ __device__ explicit __nv_fp4x4_e2m1(float4 f)
        : __x((unsigned short)(__nv_cvt_float2_to_fp4x2(float2{f.x, f.y}, __NV_E2M1, cudaRoundNearest) |
                               __nv_cvt_float2_to_fp4x2(float2{f.z, f.w}, __NV_E2M1, cudaRoundNearest) << 8)) {}
};
