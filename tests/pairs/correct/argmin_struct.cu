// Nearest centroid: each warp handles a point, lanes stride over the centroids.
#include <cuda_runtime.h>
#include <cfloat>

struct Candidate {
    float dist;
    int   idx;
};

__device__ inline bool better(const Candidate& a, const Candidate& b)
{
    if (a.dist != b.dist) return a.dist < b.dist;
    return a.idx < b.idx;
}

__device__ inline Candidate shfl_down(const Candidate& c, int delta)
{
    Candidate r;
    r.dist = __shfl_down_sync(0xffffffff, c.dist, delta);
    r.idx  = __shfl_down_sync(0xffffffff, c.idx, delta);
    return r;
}

__device__ Candidate warp_best(Candidate c)
{
    for (int d = 16; d >= 1; d /= 2) {
        Candidate o = shfl_down(c, d);
        if (better(o, c)) c = o;
    }
    return c;       // valid in lane 0
}

template <int DIM>
__global__ void assign_points(const float* __restrict__ points, int n,
                              const float* __restrict__ centroids, int k,
                              int* __restrict__ label, float* __restrict__ distance,
                              unsigned int* __restrict__ changed)
{
    const int lane   = threadIdx.x % 32;
    const int warp   = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int nwarps = gridDim.x * blockDim.x / 32;

    for (int p = warp; p < n; p += nwarps) {
        float x[DIM];
#pragma unroll
        for (int d = 0; d < DIM; ++d) x[d] = points[p * DIM + d];

        Candidate mine{FLT_MAX, 0x7fffffff};
        for (int c = lane; c < k; c += 32) {
            float s = 0.f;
#pragma unroll
            for (int d = 0; d < DIM; ++d) {
                float t = x[d] - centroids[c * DIM + d];
                s = fmaf(t, t, s);
            }
            Candidate cand{s, c};
            if (better(cand, mine)) mine = cand;
        }
        mine = warp_best(mine);
        if (lane == 0) {
            if (label[p] != mine.idx) {
                label[p] = mine.idx;
                atomicAdd(changed, 1u);
            }
            distance[p] = mine.dist;
        }
    }
}

int kmeans_assign3(const float* pts, int n, const float* cen, int k, int* label,
                   float* dist, unsigned int* changed, cudaStream_t st)
{
    if (n <= 0 || k <= 0) return -1;
    const int threads = 256;
    int blocks = (n + threads / 32 - 1) / (threads / 32);
    if (blocks > 1024) blocks = 1024;
    cudaMemsetAsync(changed, 0, sizeof(unsigned int), st);
    assign_points<3><<<blocks, threads, 0, st>>>(pts, n, cen, k, label, dist, changed);
    return cudaGetLastError() == cudaSuccess ? 0 : -2;
}
