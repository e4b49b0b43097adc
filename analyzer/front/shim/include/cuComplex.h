#pragma once
typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;
#define CUWARP_COMPLEX(C, T, f)                                                                                        \
    __host__ __device__ inline T cuCreal##f(C a) { return a.x; }                                                       \
    __host__ __device__ inline T cuCimag##f(C a) { return a.y; }                                                       \
    __host__ __device__ inline C cuConj##f(C a) { return C{a.x, -a.y}; }                                               \
    __host__ __device__ inline C cuCadd##f(C a, C b) { return C{a.x + b.x, a.y + b.y}; }                               \
    __host__ __device__ inline C cuCsub##f(C a, C b) { return C{a.x - b.x, a.y - b.y}; }                               \
    __host__ __device__ inline C cuCmul##f(C a, C b) { return C{a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }       \
    __host__ __device__ inline C cuCdiv##f(C a, C b) {                                                                 \
        T d = b.x * b.x + b.y * b.y;                                                                                   \
        return C{(a.x * b.x + a.y * b.y) / d, (a.y * b.x - a.x * b.y) / d};                                            \
    }                                                                                                                  \
    __host__ __device__ inline T cuCabs##f(C a) { return sqrt(a.x * a.x + a.y * a.y); }                                \
    __host__ __device__ inline C cuCfma##f(C a, C b, C c) { return cuCadd##f(cuCmul##f(a, b), c); }
CUWARP_COMPLEX(cuFloatComplex, float, f)
CUWARP_COMPLEX(cuDoubleComplex, double, )
#undef CUWARP_COMPLEX
__host__ __device__ inline cuFloatComplex make_cuFloatComplex(float x, float y) { return cuFloatComplex{x, y}; }
__host__ __device__ inline cuDoubleComplex make_cuDoubleComplex(double x, double y) { return cuDoubleComplex{x, y}; }
__host__ __device__ inline cuComplex make_cuComplex(float x, float y) { return cuComplex{x, y}; }
__host__ __device__ inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) {
    return cuDoubleComplex{a.x, a.y};
}
__host__ __device__ inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) {
    return cuFloatComplex{(float)a.x, (float)a.y};
}
