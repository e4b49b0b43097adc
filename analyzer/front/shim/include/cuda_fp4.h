// 4-bit floats: storage only.
#pragma once
#include "cuda_fp8.h"
struct __nv_fp4_e2m1 { unsigned char __x; };
struct __nv_fp4x2_e2m1 { unsigned char __x; };
struct __nv_fp4x4_e2m1 { unsigned short __x; };
