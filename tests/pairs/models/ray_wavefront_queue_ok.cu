// Wavefront path tracer, extend stage: closest hit against a sphere list, survivors go to the
// queue of the shading stage through a staging buffer of the block.
#include <cuda_runtime.h>
#include <cfloat>
#include <cstdint>

namespace wf {

constexpr int kBlock = 128;

struct Ray {
  float3 o, d;
};

struct Hit {
  float t;
  int prim;
};

struct Scene {
  const float4* spheres;  // xyz = centre, w = radius
  int count;
};

struct WorkQueue {
  uint32_t* items;
  unsigned int* size;
};

__device__ __forceinline__ float3 sub(float3 a, float3 b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); }
__device__ __forceinline__ float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

__device__ Hit closest_hit(const Scene& s, const Ray& r) {
  Hit h{FLT_MAX, -1};
  for (int i = 0; i < s.count; ++i) {
    const float4 sp = s.spheres[i];
    const float3 oc = sub(r.o, make_float3(sp.x, sp.y, sp.z));
    const float b = dot(oc, r.d);
    const float c = dot(oc, oc) - sp.w * sp.w;
    const float disc = b * b - c;
    if (disc < 0.f) continue;
    const float root = sqrtf(disc);
    float t = -b - root;
    if (t < 1e-4f) t = -b + root;
    if (t > 1e-4f && t < h.t) h = Hit{t, i};
  }
  return h;
}

template <int CAP>
struct StagingQueue {
  static_assert(CAP >= 2 * kBlock, "a tile has to fit behind the threshold");
  uint32_t item[CAP];
  int count;
  unsigned int base;

  __device__ void push(uint32_t v) { item[atomicAdd(&count, 1)] = v; }

  // called by the whole block with the same n
  __device__ void flush(const WorkQueue& out, int n) {
    if (threadIdx.x == 0) base = atomicAdd(out.size, (unsigned int)n);
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += kBlock) out.items[base + i] = item[i];
    __syncthreads();
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
  }
};

template <int CAP>
__global__ void __launch_bounds__(kBlock)
extend_rays(Scene scene, const Ray* __restrict__ rays, Hit* __restrict__ hits, int n, WorkQueue shade) {
  __shared__ StagingQueue<CAP> q;
  if (threadIdx.x == 0) q.count = 0;
  __syncthreads();

  for (int tile = blockIdx.x * kBlock; tile < n; tile += gridDim.x * kBlock) {
    const int i = tile + threadIdx.x;
    if (i < n) {
      const Hit h = closest_hit(scene, rays[i]);
      hits[i] = h;
      if (h.prim >= 0) q.push((uint32_t)i);
    }
    __syncthreads();
    const int pending = q.count;
    __syncthreads();
    if (pending > CAP - kBlock) q.flush(shade, pending);
  }

  const int rest = q.count;
  if (rest > 0) q.flush(shade, rest);
}

__global__ void shade_normals(Scene scene, const Ray* rays, const Hit* hits, WorkQueue shade, float3* color) {
  const unsigned int n = *shade.size;
  for (unsigned int j = blockIdx.x * blockDim.x + threadIdx.x; j < n; j += gridDim.x * blockDim.x) {
    const uint32_t i = shade.items[j];
    const Hit h = hits[i];
    const Ray r = rays[i];
    const float4 sp = scene.spheres[h.prim];
    const float inv = 1.f / sp.w;
    color[i] = make_float3(0.5f + 0.5f * (r.o.x + h.t * r.d.x - sp.x) * inv,
                           0.5f + 0.5f * (r.o.y + h.t * r.d.y - sp.y) * inv,
                           0.5f + 0.5f * (r.o.z + h.t * r.d.z - sp.z) * inv);
  }
}

cudaError_t trace(const Scene& scene, const Ray* rays, Hit* hits, int n, WorkQueue shade, float3* color,
                  int sms, cudaStream_t st) {
  if (n <= 0 || n > (1 << 29) || sms <= 0) return cudaErrorInvalidValue;
  cudaMemsetAsync(shade.size, 0, sizeof(unsigned int), st);
  int grid = (n + kBlock - 1) / kBlock;
  if (grid > 8 * sms) grid = 8 * sms;
  if (n > (1 << 20))
    extend_rays<1024><<<grid, kBlock, 0, st>>>(scene, rays, hits, n, shade);
  else
    extend_rays<256><<<grid, kBlock, 0, st>>>(scene, rays, hits, n, shade);
  shade_normals<<<grid, kBlock, 0, st>>>(scene, rays, hits, shade, color);
  return cudaGetLastError();
}

}  // namespace wf
