// Packet traversal of a BVH, one 32-ray packet per warp. Build: nvcc -arch=sm_80
#include <cuda_runtime.h>
#include <cfloat>
#include <cstdio>

namespace rt {

constexpr int kWarpsPerBlock = 4;
constexpr int kStack = 64;
constexpr unsigned kAll = 0xffffffffu;

struct Node {
    float3 lo;
    int left; // first primitive for a leaf
    float3 hi;
    int count; // 0 for an inner node, children at left and left + 1
};

struct Ray {
    float3 o, invD;
    float tmax;
};

struct Sphere {
    float3 c;
    float r;
};

struct Scene {
    const Node* nodes;
    const Sphere* prims;
};

__device__ __forceinline__ bool hitBox(const Node& n, const Ray& r)
{
    const float x0 = (n.lo.x - r.o.x) * r.invD.x, x1 = (n.hi.x - r.o.x) * r.invD.x;
    const float y0 = (n.lo.y - r.o.y) * r.invD.y, y1 = (n.hi.y - r.o.y) * r.invD.y;
    const float z0 = (n.lo.z - r.o.z) * r.invD.z, z1 = (n.hi.z - r.o.z) * r.invD.z;
    const float tn = fmaxf(fmaxf(fminf(x0, x1), fminf(y0, y1)), fmaxf(fminf(z0, z1), 0.f));
    const float tf = fminf(fminf(fmaxf(x0, x1), fmaxf(y0, y1)), fminf(fmaxf(z0, z1), r.tmax));
    return tn <= tf;
}

__device__ void hitSphere(const Sphere& s, const float3& d, Ray& r, int id, int& best)
{
    const float3 oc = make_float3(r.o.x - s.c.x, r.o.y - s.c.y, r.o.z - s.c.z);
    const float a = d.x * d.x + d.y * d.y + d.z * d.z;
    const float b = oc.x * d.x + oc.y * d.y + oc.z * d.z;
    const float c = oc.x * oc.x + oc.y * oc.y + oc.z * oc.z - s.r * s.r;
    const float disc = b * b - a * c;
    if (disc < 0.f)
        return;
    const float t = (-b - sqrtf(disc)) / a;
    if (t > 0.f && t < r.tmax) {
        r.tmax = t;
        best = id;
    }
}

__global__ void tracePackets(Scene scene, const float3* __restrict__ org,
                             const float3* __restrict__ dir, int n, int* __restrict__ hitId)
{
    __shared__ int s_stack[kWarpsPerBlock][kStack];
    const int lane = threadIdx.x;
    int* stack = s_stack[threadIdx.y];
    const int i = (blockIdx.x * kWarpsPerBlock + threadIdx.y) * 32 + lane;
    const int j = min(i, n - 1);

    const float3 d = dir[j];
    Ray ray{org[j], make_float3(1.f / d.x, 1.f / d.y, 1.f / d.z), i < n ? FLT_MAX : -1.f};
    int best = -1;
    int sp = 1;
    if (lane == 0)
        stack[0] = 0;
    __syncwarp();

    while (sp > 0) {
        const int id = stack[--sp];
        __syncwarp();
        const Node node = scene.nodes[id];
        if (!__any_sync(kAll, hitBox(node, ray)))
            continue;
        if (node.count > 0) {
            for (int p = node.left; p < node.left + node.count; ++p)
                hitSphere(scene.prims[p], d, ray, p, best);
        } else if (sp + 2 <= kStack) {
            if (lane == 0) {
                stack[sp] = node.left + 1;
                stack[sp + 1] = node.left;
            }
            sp += 2;
            __syncwarp();
        }
    }
    if (i < n)
        hitId[i] = best;
}

cudaError_t trace(const Scene& scene, const float3* org, const float3* dir, int n, int* hitId,
                  cudaStream_t s)
{
    if (n <= 0)
        return cudaSuccess;
    const dim3 block(32, kWarpsPerBlock);
    const int rays = 32 * kWarpsPerBlock;
    tracePackets<<<(n + rays - 1) / rays, block, 0, s>>>(scene, org, dir, n, hitId);
    return cudaGetLastError();
}

} // namespace rt
