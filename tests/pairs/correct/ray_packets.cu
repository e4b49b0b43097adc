// Packet traversal of a BVH: the warp shares one stack and votes on the children.
#include <cuda_runtime.h>

struct Box  { float lo[3], hi[3]; };
struct Node { Box box; int left, right; int first, count; };   // count > 0: leaf
struct Ray  { float o[3], inv[3], tmax; };
struct Sphere { float c[3], r; };

constexpr int kStack = 48;
constexpr int kWarps = 4;

__device__ bool hit_box(const Box& b, const Ray& r, float t)
{
    float t0 = 0.f, t1 = t;
#pragma unroll
    for (int a = 0; a < 3; ++a) {
        const float u = (b.lo[a] - r.o[a]) * r.inv[a];
        const float v = (b.hi[a] - r.o[a]) * r.inv[a];
        t0 = fmaxf(t0, fminf(u, v));
        t1 = fminf(t1, fmaxf(u, v));
    }
    return t0 <= t1;
}

__device__ float hit_sphere(const Sphere& s, const Ray& r)
{
    float dd = 0.f, od = 0.f, oo = -s.r * s.r;
#pragma unroll
    for (int a = 0; a < 3; ++a) {
        const float d = 1.f / r.inv[a];
        const float o = r.o[a] - s.c[a];
        dd += d * d;
        od += o * d;
        oo += o * o;
    }
    const float disc = od * od - dd * oo;
    if (disc < 0.f) return 3.4e38f;
    const float t = (-od - sqrtf(disc)) / dd;
    return t > 0.f ? t : 3.4e38f;
}

__global__ void trace(const Node* __restrict__ nodes, const Sphere* __restrict__ prims,
                      const Ray* __restrict__ rays, int n, int* __restrict__ who,
                      float* __restrict__ dist)
{
    __shared__ int stack[kWarps][kStack];
    const int lane = threadIdx.x & 31;
    int* st = stack[threadIdx.x >> 5];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool valid = i < n;

    Ray r{};
    if (valid) r = rays[i];
    float t = valid ? r.tmax : -1.f;
    int id = -1;

    int sp = 0;
    int cur = 0;
    while (true) {
        const Node nd = nodes[cur];
        const bool want = valid && hit_box(nd.box, r, t);
        bool descended = false;
        if (__any_sync(0xffffffffu, want)) {
            if (nd.count > 0) {
                for (int k = 0; k < nd.count; ++k) {
                    const float h = want ? hit_sphere(prims[nd.first + k], r) : 3.4e38f;
                    if (h < t) { t = h; id = nd.first + k; }
                }
            } else {
                if (lane == 0 && sp < kStack) st[sp] = nd.right;
                if (sp < kStack) ++sp;
                cur = nd.left;
                descended = true;
            }
        }
        if (descended) continue;
        if (sp == 0) break;
        __syncwarp();
        cur = st[--sp];
        __syncwarp();
    }
    if (valid) { who[i] = id; dist[i] = t; }
}

void trace_rays(const Node* nodes, const Sphere* prims, const Ray* rays, int n, int* who, float* d,
                cudaStream_t s)
{
    if (n > 0) trace<<<(n + 127) / 128, kWarps * 32, 0, s>>>(nodes, prims, rays, n, who, d);
}
