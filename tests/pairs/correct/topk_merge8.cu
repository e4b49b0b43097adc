// Eight nearest reference points for every query, one octet per query.
#include <cuda_runtime.h>
#include <cfloat>
#include <cstdio>

struct Cand {
    float d;
    int id;
};

__device__ Cand pull(unsigned mask, Cand c, int lane_xor)
{
    Cand o;
    o.d = __shfl_xor_sync(mask, c.d, lane_xor, 8);
    o.id = __shfl_xor_sync(mask, c.id, lane_xor, 8);
    return o;
}

__device__ bool before(Cand a, Cand b)
{
    return a.d < b.d || (a.d == b.d && a.id < b.id);
}

__device__ Cand step(unsigned mask, Cand c, int d, bool want_small)
{
    const Cand o = pull(mask, c, d);
    return before(o, c) == want_small ? o : c;
}

__device__ Cand sort8(unsigned mask, Cand c, int r)
{
    c = step(mask, c, 1, ((r & 1) == 0) == ((r & 2) == 0));
    c = step(mask, c, 2, ((r & 2) == 0) == ((r & 4) == 0));
    c = step(mask, c, 1, ((r & 1) == 0) == ((r & 4) == 0));
    for (int d = 4; d; d >>= 1)
        c = step(mask, c, d, (r & d) == 0);
    return c;
}

__global__ void knn8(const float3 *refs, int nrefs, const float3 *queries, int n, int *ids)
{
    const int q = (blockIdx.x * blockDim.x + threadIdx.x) / 8;
    if (q >= n)
        return;
    const int r = threadIdx.x & 7;
    const unsigned mask = 0xffu << (threadIdx.x & 24);
    const float3 p = queries[q];

    Cand best = {FLT_MAX, nrefs + r};
    for (int base = 0; base < nrefs; base += 8) {
        Cand c = {FLT_MAX, nrefs + 8 + r};
        if (base + r < nrefs) {
            const float3 s = refs[base + r];
            const float dx = s.x - p.x, dy = s.y - p.y, dz = s.z - p.z;
            c.d = fminf(dx * dx + dy * dy + dz * dz, FLT_MAX);
            c.id = base + r;
        }
        const float worst = __shfl_sync(mask, best.d, 7, 8);
        if (!__any_sync(mask, c.d < worst))
            continue;
        c = sort8(mask, c, r);
        const Cand mirrored = pull(mask, c, 7);
        if (before(mirrored, best))
            best = mirrored;
        for (int d = 4; d; d >>= 1)
            best = step(mask, best, d, (r & d) == 0);
    }
    ids[q * 8 + r] = best.id < nrefs ? best.id : -1;
}

int nearest8(const float3 *refs, int nrefs, const float3 *queries, int n, int *ids)
{
    if (nrefs < 0 || nrefs > (1 << 30) || n < 0 || n > (1 << 27)) {
        std::fprintf(stderr, "nearest8: sizes out of range\n");
        return -1;
    }
    if (n == 0)
        return 0;
    const int grid = (n + 15) / 16;
    knn8<<<grid, 128>>>(refs, nrefs, queries, n, ids);
    return cudaGetLastError() == cudaSuccess ? 0 : -2;
}
