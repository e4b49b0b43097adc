// Vector types as plain structs; CUDA gives them no operators either. Making the common ones means its body, the others
// are rows of intrinsics.def: a body costs as much as five declarations.
#pragma once
struct char1 {
    signed char x;
};
struct __align__(2) char2 {
    signed char x, y;
};
struct char3 {
    signed char x, y, z;
};
struct __align__(4) char4 {
    signed char x, y, z, w;
};
struct uchar1 {
    unsigned char x;
};
struct __align__(2) uchar2 {
    unsigned char x, y;
};
struct uchar3 {
    unsigned char x, y, z;
};
struct __align__(4) uchar4 {
    unsigned char x, y, z, w;
};
struct short1 {
    short x;
};
struct __align__(4) short2 {
    short x, y;
};
struct short3 {
    short x, y, z;
};
struct __align__(8) short4 {
    short x, y, z, w;
};
struct ushort1 {
    unsigned short x;
};
struct __align__(4) ushort2 {
    unsigned short x, y;
};
struct ushort3 {
    unsigned short x, y, z;
};
struct __align__(8) ushort4 {
    unsigned short x, y, z, w;
};
struct int1 {
    int x;
};
struct __align__(8) int2 {
    int x, y;
};
struct int3 {
    int x, y, z;
};
struct __align__(16) int4 {
    int x, y, z, w;
};
struct uint1 {
    unsigned int x;
};
struct __align__(8) uint2 {
    unsigned int x, y;
};
struct uint3 {
    unsigned int x, y, z;
};
struct __align__(16) uint4 {
    unsigned int x, y, z, w;
};
struct long1 {
    long x;
};
struct __align__(16) long2 {
    long x, y;
};
struct long3 {
    long x, y, z;
};
struct __align__(16) long4 {
    long x, y, z, w;
};
struct ulong1 {
    unsigned long x;
};
struct __align__(16) ulong2 {
    unsigned long x, y;
};
struct ulong3 {
    unsigned long x, y, z;
};
struct __align__(16) ulong4 {
    unsigned long x, y, z, w;
};
struct longlong1 {
    long long x;
};
struct __align__(16) longlong2 {
    long long x, y;
};
struct longlong3 {
    long long x, y, z;
};
struct __align__(16) longlong4 {
    long long x, y, z, w;
};
struct ulonglong1 {
    unsigned long long x;
};
struct __align__(16) ulonglong2 {
    unsigned long long x, y;
};
struct ulonglong3 {
    unsigned long long x, y, z;
};
struct __align__(16) ulonglong4 {
    unsigned long long x, y, z, w;
};
struct float1 {
    float x;
};
struct __align__(8) float2 {
    float x, y;
};
struct float3 {
    float x, y, z;
};
struct __align__(16) float4 {
    float x, y, z, w;
};
struct double1 {
    double x;
};
struct __align__(16) double2 {
    double x, y;
};
struct double3 {
    double x, y, z;
};
struct __align__(16) double4 {
    double x, y, z, w;
};
struct __align__(16) long4_16a {
    long x, y, z, w;
};
struct __align__(32) long4_32a {
    long x, y, z, w;
};
struct __align__(16) ulong4_16a {
    unsigned long x, y, z, w;
};
struct __align__(32) ulong4_32a {
    unsigned long x, y, z, w;
};
struct __align__(16) longlong4_16a {
    long long x, y, z, w;
};
struct __align__(32) longlong4_32a {
    long long x, y, z, w;
};
struct __align__(16) ulonglong4_16a {
    unsigned long long x, y, z, w;
};
struct __align__(32) ulonglong4_32a {
    unsigned long long x, y, z, w;
};
struct __align__(16) double4_16a {
    double x, y, z, w;
};
struct __align__(32) double4_32a {
    double x, y, z, w;
};
struct dim3 {
    unsigned int x, y, z;
    __host__ __device__ constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1)
        : x(x_),
          y(y_),
          z(z_) {}
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
};
__host__ __device__ inline char4 make_char4(signed char x, signed char y, signed char z, signed char w) {
    return {x, y, z, w};
}
__host__ __device__ inline uchar2 make_uchar2(unsigned char x, unsigned char y) { return {x, y}; }
__host__ __device__ inline uchar3 make_uchar3(unsigned char x, unsigned char y, unsigned char z) { return {x, y, z}; }
__host__ __device__ inline uchar4 make_uchar4(unsigned char x, unsigned char y, unsigned char z, unsigned char w) {
    return {x, y, z, w};
}
__host__ __device__ inline short2 make_short2(short x, short y) { return {x, y}; }
__host__ __device__ inline short4 make_short4(short x, short y, short z, short w) { return {x, y, z, w}; }
__host__ __device__ inline ushort2 make_ushort2(unsigned short x, unsigned short y) { return {x, y}; }
__host__ __device__ inline ushort4 make_ushort4(unsigned short x, unsigned short y, unsigned short z,
                                                unsigned short w) {
    return {x, y, z, w};
}
__host__ __device__ inline int2 make_int2(int x, int y) { return {x, y}; }
__host__ __device__ inline int3 make_int3(int x, int y, int z) { return {x, y, z}; }
__host__ __device__ inline int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
__host__ __device__ inline uint2 make_uint2(unsigned int x, unsigned int y) { return {x, y}; }
__host__ __device__ inline uint3 make_uint3(unsigned int x, unsigned int y, unsigned int z) { return {x, y, z}; }
__host__ __device__ inline uint4 make_uint4(unsigned int x, unsigned int y, unsigned int z, unsigned int w) {
    return {x, y, z, w};
}
__host__ __device__ inline float2 make_float2(float x, float y) { return {x, y}; }
__host__ __device__ inline float3 make_float3(float x, float y, float z) { return {x, y, z}; }
__host__ __device__ inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
__host__ __device__ inline double2 make_double2(double x, double y) { return {x, y}; }
__host__ __device__ inline double3 make_double3(double x, double y, double z) { return {x, y, z}; }
__host__ __device__ inline double4 make_double4(double x, double y, double z, double w) { return {x, y, z, w}; }
//@ vectors | __host__ __device__
