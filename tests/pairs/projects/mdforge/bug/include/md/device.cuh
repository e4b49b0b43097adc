#pragma once
#include <cuda_runtime.h>

namespace md {

__device__ __forceinline__ float3 operator-(float4 a, float4 b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); }
__device__ __forceinline__ float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__device__ __forceinline__ float3 operator*(float s, float3 a) { return make_float3(s * a.x, s * a.y, s * a.z); }
__device__ __forceinline__ void axpy(float3& a, float s, float3 b) {
  a.x += s * b.x;
  a.y += s * b.y;
  a.z += s * b.z;
}
__device__ __forceinline__ float3 min_image(float3 d, float box) {
  d.x -= box * rintf(d.x / box);
  d.y -= box * rintf(d.y / box);
  d.z -= box * rintf(d.z / box);
  return d;
}
__device__ __forceinline__ void atomic_add3(float4* f, float3 v) {
  atomicAdd(&f->x, v.x);
  atomicAdd(&f->y, v.y);
  atomicAdd(&f->z, v.z);
}

// Last 64 values of a tree reduction, called by the first warp.
template <int NT>
__device__ __forceinline__ void reduce_last_warp(volatile float* s, int t) {
  float v = s[t];
  if (NT >= 64) {
    v += s[t + 32];
    s[t] = v;
  }
#pragma unroll
  for (int k = 16; k > 0; k >>= 1) {
    v += s[t + k];
    s[t] = v;
  }
}

template <int NT>
__device__ float block_sum(float v) {
  static_assert(NT >= 64 && (NT & (NT - 1)) == 0, "");
  __shared__ float s[NT];
  const int t = threadIdx.x;
  s[t] = v;
  __syncthreads();
#pragma unroll
  for (int k = NT / 2; k > 32; k >>= 1) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  if (t < 32) reduce_last_warp<NT>(s, t);
  __syncthreads();
  const float r = s[0];
  __syncthreads();
  return r;
}

struct LennardJones {
  float c6, c12, rc2;
  __device__ void operator()(float3 d, float, float& fs, float& e) const {
    const float r2 = dot(d, d);
    if (r2 >= rc2 || r2 < 1e-9f) { fs = 0.f; e = 0.f; return; }
    const float i2 = 1.f / r2, i6 = i2 * i2 * i2;
    e = c12 * i6 * i6 - c6 * i6;
    fs = (12.f * c12 * i6 * i6 - 6.f * c6 * i6) * i2;
  }
};

struct Coulomb {
  float ke, rc2;
  __device__ void operator()(float3 d, float qq, float& fs, float& e) const {
    const float r2 = dot(d, d);
    if (r2 >= rc2 || r2 < 1e-9f) { fs = 0.f; e = 0.f; return; }
    const float ri = rsqrtf(r2);
    e = ke * qq * ri;
    fs = e * ri * ri;
  }
};

template <class A, class B>
struct Combined {
  A a;
  B b;
  __device__ void operator()(float3 d, float qq, float& fs, float& e) const {
    float f1, e1, f2, e2;
    a(d, qq, f1, e1);
    b(d, qq, f2, e2);
    fs = f1 + f2;
    e = e1 + e2;
  }
};

}  // namespace md
