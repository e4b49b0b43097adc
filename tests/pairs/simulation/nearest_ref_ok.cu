// Nearest reference point for each query, references staged in tiles. Build: nvcc -arch=sm_80
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_runtime.h>
#include <cfloat>
#include <cstdio>

namespace cg = cooperative_groups;

namespace knn {

constexpr int kThreads = 128;
constexpr int kTile = 256;

struct Nearest {
    float d2;
    int index;

    __device__ void offer(float d, int i)
    {
        if (d < d2) {
            d2 = d;
            index = i;
        }
    }
};

__device__ __forceinline__ float dist2(const float4& a, const float4& b)
{
    const float x = a.x - b.x;
    const float y = a.y - b.y;
    const float z = a.z - b.z;
    return x * x + y * y + z * z;
}

template <int TILE>
struct ReferenceTile {
    float4 pts[TILE];
};

template <int TILE, class Block>
__device__ int stageTile(const Block& block, ReferenceTile<TILE>& t, const float4* refs, int r0,
                         int nRefs)
{
    const int cnt = min(TILE, nRefs - r0);
    cg::memcpy_async(block, t.pts, refs + r0, sizeof(float4) * cnt);
    cg::wait(block);
    return cnt;
}

template <int TILE>
__global__ void __launch_bounds__(kThreads)
nearestKernel(const float4* __restrict__ queries, int nQueries, const float4* __restrict__ refs,
              int nRefs, int* __restrict__ outIndex, float* __restrict__ outDist)
{
    __shared__ ReferenceTile<TILE> s_ref;
    const cg::thread_block block = cg::this_thread_block();
    const int q = blockIdx.x * kThreads + threadIdx.x;
    const float4 me = queries[min(q, nQueries - 1)];
    Nearest best{FLT_MAX, -1};

    for (int r0 = 0; r0 < nRefs; r0 += TILE) {
        const int cnt = stageTile<TILE>(block, s_ref, refs, r0, nRefs);
#pragma unroll 4
        for (int k = 0; k < cnt; ++k)
            best.offer(dist2(me, s_ref.pts[k]), r0 + k);
        block.sync();
    }

    if (q < nQueries) {
        outIndex[q] = best.index;
        outDist[q] = sqrtf(best.d2);
    }
}

struct NearestSearch {
    const float4* refs;
    int nRefs;

    cudaError_t run(const float4* queries, int n, int* idx, float* dist, cudaStream_t s) const
    {
        if (n <= 0)
            return cudaSuccess;
        if (nRefs <= 0)
            return cudaErrorInvalidValue;
        const int grid = (n + kThreads - 1) / kThreads;
        nearestKernel<kTile><<<grid, kThreads, 0, s>>>(queries, n, refs, nRefs, idx, dist);
        return cudaGetLastError();
    }
};

cudaError_t nearest(const float4* refs, int nRefs, const float4* queries, int n, int* idx,
                    float* dist, cudaStream_t s)
{
    const NearestSearch search{refs, nRefs};
    return search.run(queries, n, idx, dist, s);
}

} // namespace knn
