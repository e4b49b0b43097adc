// Sphere-soup tracer with persistent threads: as many blocks as fit on the
// machine, each warp pulls packets of 32 rays from a global counter.
#include <cuda_runtime.h>
#include <cstdio>
#include <cfloat>

#define WARP_W 32
#define BLOCK_H 4
#define MAX_SPHERES 1024

struct RayIn  { float4 org_tmin; float4 dir_tmax; };
struct HitOut { int prim; float t; float u, v; };

__constant__ float4 c_spheres[MAX_SPHERES];
__device__ int g_nextRay;

__device__ __forceinline__ float dot3(float ax, float ay, float az, float bx, float by, float bz)
{
    return ax * bx + ay * by + az * bz;
}

__device__ __forceinline__ bool hitSphere(const RayIn& r, float4 s, float tMax, float& t)
{
    const float ox = r.org_tmin.x - s.x, oy = r.org_tmin.y - s.y, oz = r.org_tmin.z - s.z;
    const float b = dot3(ox, oy, oz, r.dir_tmax.x, r.dir_tmax.y, r.dir_tmax.z);
    const float c = dot3(ox, oy, oz, ox, oy, oz) - s.w * s.w;
    const float d = b * b - c;
    if (d < 0.f) return false;
    const float q = sqrtf(d);
    t = -b - q;
    if (t < r.org_tmin.w) t = -b + q;
    return t >= r.org_tmin.w && t < tMax;
}

template <bool ANY_HIT>
__device__ void traceOne(const RayIn& r, int nPrims, HitOut& h)
{
    h.prim = -1;
    h.t = r.dir_tmax.w;
    h.u = h.v = 0.f;
    for (int p = 0; p < nPrims; ++p) {
        float t;
        if (hitSphere(r, c_spheres[p], h.t, t)) {
            h.prim = p;
            h.t = t;
            if (ANY_HIT) break;
        }
    }
}

// next packet for the calling warp; every lane gets its own ray number
__device__ __forceinline__ int fetchRay(volatile int* s_base)
{
    volatile int& base = s_base[threadIdx.y];
    if (threadIdx.x == 0) base = atomicAdd(&g_nextRay, WARP_W);
    __syncwarp();
    return base + threadIdx.x;
}

template <bool ANY_HIT>
__global__ void __launch_bounds__(WARP_W * BLOCK_H)
tracePersistent(const RayIn* __restrict__ rays, HitOut* __restrict__ hits, int nRays, int nPrims)
{
    __shared__ volatile int s_base[BLOCK_H];

    for (;;) {
        const int ray = fetchRay(s_base);
        if (ray - (int)threadIdx.x >= nRays) break;
        if (ray < nRays) {
            HitOut h;
            traceOne<ANY_HIT>(rays[ray], nPrims, h);
            hits[ray] = h;
        }
    }
}

static int persistentBlocks(const void* f)
{
    int dev = 0, sms = 0, perSm = 0;
    cudaGetDevice(&dev);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perSm, f, WARP_W * BLOCK_H, 0);
    return sms * (perSm > 0 ? perSm : 1);
}

bool traceRays(const float4* h_spheres, int nPrims, const RayIn* d_rays, HitOut* d_hits, int nRays,
               bool shadow)
{
    if (nPrims > MAX_SPHERES) return false;
    const int zero = 0;
    cudaMemcpyToSymbol(c_spheres, h_spheres, nPrims * sizeof(float4));
    cudaMemcpyToSymbol(g_nextRay, &zero, sizeof(int));

    const dim3 block(WARP_W, BLOCK_H);
    if (shadow) {
        tracePersistent<true><<<persistentBlocks((const void*)tracePersistent<true>), block>>>(
            d_rays, d_hits, nRays, nPrims);
    } else {
        tracePersistent<false><<<persistentBlocks((const void*)tracePersistent<false>), block>>>(
            d_rays, d_hits, nRays, nPrims);
    }
    const cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess) printf("trace: %s\n", cudaGetErrorString(e));
    return e == cudaSuccess;
}
