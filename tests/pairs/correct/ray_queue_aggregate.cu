// Wavefront path tracer: surviving rays are appended to the next queue with warp aggregated atomics.
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <cstdint>

namespace cg = cooperative_groups;

struct Ray {
    float3 o, d, throughput;
    uint32_t pixel;
    uint32_t seed;
};

struct RayQueue {
    Ray *rays;
    uint32_t *size;
};

struct Sphere { float3 c; float r; float3 albedo; float3 emission; };

__device__ float rnd(uint32_t &s)
{
    s = s * 1664525u + 1013904223u;
    return (s >> 8) * (1.f / 16777216.f);
}

__device__ uint32_t push_slot(RayQueue q)
{
    cg::coalesced_group g = cg::coalesced_threads();
    uint32_t base = 0;
    if (g.thread_rank() == 0)
        base = atomicAdd(q.size, g.size());
    return g.shfl(base, 0) + g.thread_rank();
}

__device__ int hit(const Sphere *s, int n, float3 o, float3 d, float *t)
{
    int best = -1;
    *t = 1e30f;
    for (int i = 0; i < n; i++) {
        float3 oc = make_float3(o.x - s[i].c.x, o.y - s[i].c.y, o.z - s[i].c.z);
        float b = oc.x * d.x + oc.y * d.y + oc.z * d.z;
        float disc = b * b - (oc.x * oc.x + oc.y * oc.y + oc.z * oc.z - s[i].r * s[i].r);
        if (disc < 0.f) continue;
        float tt = -b - sqrtf(disc);
        if (tt > 1e-3f && tt < *t) { *t = tt; best = i; }
    }
    return best;
}

// A pixel has at most one ray in a queue, so radiance[pixel] belongs to the ray's thread.
__global__ void shade(RayQueue in, uint32_t n, RayQueue out, const Sphere *spheres, int ns, float3 *radiance, float3 sky)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Ray r = in.rays[i];
    float t;
    int k = hit(spheres, ns, r.o, r.d, &t);
    float3 e = k < 0 ? sky : spheres[k].emission;
    radiance[r.pixel].x += r.throughput.x * e.x;
    radiance[r.pixel].y += r.throughput.y * e.y;
    radiance[r.pixel].z += r.throughput.z * e.z;
    if (k < 0)
        return;
    float3 p = make_float3(r.o.x + t * r.d.x, r.o.y + t * r.d.y, r.o.z + t * r.d.z);
    float z = 2.f * rnd(r.seed) - 1.f, phi = 6.2831853f * rnd(r.seed), q = sqrtf(fmaxf(0.f, 1.f - z * z));
    float inv = 1.f / spheres[k].r;
    float3 d = make_float3((p.x - spheres[k].c.x) * inv + q * cosf(phi), (p.y - spheres[k].c.y) * inv + q * sinf(phi),
                           (p.z - spheres[k].c.z) * inv + z);
    float l = rsqrtf(fmaxf(1e-8f, d.x * d.x + d.y * d.y + d.z * d.z));
    r.o = p;
    r.d = make_float3(d.x * l, d.y * l, d.z * l);
    r.throughput.x *= spheres[k].albedo.x;
    r.throughput.y *= spheres[k].albedo.y;
    r.throughput.z *= spheres[k].albedo.z;
    if (fmaxf(r.throughput.x, fmaxf(r.throughput.y, r.throughput.z)) > 0.01f)
        out.rays[push_slot(out)] = r;
}

__global__ void camera_rays(RayQueue q, int w, int h, uint32_t frame)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= (uint32_t)(w * h)) return;
    Ray r;
    float x = (i % w + 0.5f) / w - 0.5f, y = 0.5f - (i / w + 0.5f) / h, l = rsqrtf(x * x + y * y + 1.f);
    r.o = make_float3(0.f, 0.f, 4.f);
    r.d = make_float3(x * l, y * l, -l);
    r.throughput = make_float3(1.f, 1.f, 1.f);
    r.pixel = i;
    r.seed = i * 9781u + frame * 6271u;
    q.rays[i] = r;
}

void trace_frame(RayQueue q[2], int w, int h, const Sphere *sph, int ns, float3 *radiance, uint32_t frame)
{
    uint32_t n = w * h;
    camera_rays<<<(n + 255) / 256, 256>>>(q[0], w, h, frame);
    for (int depth = 0, cur = 0; depth < 8 && n; depth++, cur ^= 1) {
        cudaMemset(q[cur ^ 1].size, 0, sizeof(uint32_t));
        shade<<<(n + 127) / 128, 128>>>(q[cur], n, q[cur ^ 1], sph, ns, radiance, make_float3(0.6f, 0.7f, 0.9f));
        cudaMemcpy(&n, q[cur ^ 1].size, sizeof(n), cudaMemcpyDeviceToHost);
    }
}
