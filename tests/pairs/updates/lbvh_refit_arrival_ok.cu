// Bottom-up bounding box refit of a linear BVH (leaves n-1 .. 2n-2, inner nodes 0 .. n-2).
#include <cuda_runtime.h>
#include <cfloat>

struct Aabb {
    float3 lo, hi;
};

struct BvhView {
    int     num_leaves;
    int    *parent;       // -1 at the root
    int    *left, *right; // inner nodes only
    Aabb   *box;
    int    *arrived;      // inner nodes only
};

__device__ inline Aabb merge(const Aabb &a, const Aabb &b)
{
    Aabb r;
    r.lo = make_float3(fminf(a.lo.x, b.lo.x), fminf(a.lo.y, b.lo.y), fminf(a.lo.z, b.lo.z));
    r.hi = make_float3(fmaxf(a.hi.x, b.hi.x), fmaxf(a.hi.y, b.hi.y), fmaxf(a.hi.z, b.hi.z));
    return r;
}

__device__ inline Aabb triangle_box(const float3 *vtx, int3 t)
{
    float3 a = vtx[t.x], b = vtx[t.y], c = vtx[t.z];
    Aabb r;
    r.lo = make_float3(fminf(a.x, fminf(b.x, c.x)), fminf(a.y, fminf(b.y, c.y)), fminf(a.z, fminf(b.z, c.z)));
    r.hi = make_float3(fmaxf(a.x, fmaxf(b.x, c.x)), fmaxf(a.y, fmaxf(b.y, c.y)), fmaxf(a.z, fmaxf(b.z, c.z)));
    return r;
}

__global__ void refit(BvhView bvh, const float3 *__restrict__ vtx, const int3 *__restrict__ tri,
                      const int *__restrict__ sorted_tri)
{
    int leaf = blockIdx.x * blockDim.x + threadIdx.x;
    if (leaf >= bvh.num_leaves)
        return;
    int node = bvh.num_leaves - 1 + leaf;
    bvh.box[node] = triangle_box(vtx, tri[sorted_tri[leaf]]);

    for (node = bvh.parent[node]; node >= 0; node = bvh.parent[node]) {
        __threadfence();
        const int seen = atomicAdd(&bvh.arrived[node], 1);
        if (seen == 0)
            return;     // the sibling's thread goes on
        __threadfence();
        bvh.box[node] = merge(bvh.box[bvh.left[node]], bvh.box[bvh.right[node]]);
    }
}

cudaError_t refit_bvh(BvhView bvh, const float3 *vtx, const int3 *tri, const int *sorted_tri, cudaStream_t st)
{
    cudaError_t e = cudaMemsetAsync(bvh.arrived, 0, sizeof(int) * (bvh.num_leaves - 1), st);
    if (e != cudaSuccess)
        return e;
    const int block = 128;
    refit<<<(bvh.num_leaves + block - 1) / block, block, 0, st>>>(bvh, vtx, tri, sorted_tri);
    return cudaGetLastError();
}
