// Brute force k nearest neighbours; every query thread keeps its sorted list in a column of global memory.
#include <cuda_runtime.h>
#include <cfloat>
#include <cstdio>

#define QUERY_BLOCK 128
#define REF_TILE    128

struct KnnProblem {
    const float3 *query;
    const float3 *ref;
    int nq, nr, k;
    size_t pitch;        // elements between list entries (>= nq)
};

/* dist and idx: entry s of query q is at [s * pitch + q] */
__device__ void insert(float *dist, int *idx, size_t pitch, int k, int *filled, float d, int id)
{
    int s = *filled;
    if (s == k) {
        if (d >= dist[(k - 1) * pitch])
            return;
        s = k - 1;
    } else {
        *filled = s + 1;
    }
    while (s > 0 && dist[(s - 1) * pitch] > d) {
        dist[s * pitch] = dist[(s - 1) * pitch];
        idx[s * pitch] = idx[(s - 1) * pitch];
        --s;
    }
    dist[s * pitch] = d;
    idx[s * pitch] = id;
}

__global__ void knn_kernel(KnnProblem p, float *dist, int *idx)
{
    __shared__ float3 tile[REF_TILE];
    const int q = blockIdx.x * QUERY_BLOCK + threadIdx.x;
    const bool live = q < p.nq;
    const float3 me = live ? p.query[q] : make_float3(0.f, 0.f, 0.f);
    int filled = 0;
    for (int base = 0; base < p.nr; base += REF_TILE) {
        const int m = min(REF_TILE, p.nr - base);
        if (threadIdx.x < m)
            tile[threadIdx.x] = p.ref[base + threadIdx.x];
        __syncthreads();
        if (live)
            for (int j = 0; j < m; ++j) {
                const float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
                insert(dist + q, idx + q, p.pitch, p.k, &filled, dx * dx + dy * dy + dz * dz, base + j);
            }
        __syncthreads();
    }
}

__global__ void mean_distance(KnnProblem p, const float *__restrict__ dist, float *mean)
{
    const int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= p.nq)
        return;
    float s = 0.f;
    for (int i = 0; i < p.k; ++i)
        s += sqrtf(dist[i * p.pitch + q]);
    mean[q] = s / p.k;
}

bool knn_outlier_scores(const float3 *d_query, int nq, const float3 *d_ref, int nr, int k, float *d_mean)
{
    if (k > nr || nq <= 0)
        return false;
    KnnProblem p = { d_query, d_ref, nq, nr, k, (size_t)((nq + 31) & ~31) };
    float *d_dist;
    int *d_idx;
    cudaMalloc(&d_dist, p.pitch * k * sizeof(float));
    cudaMalloc(&d_idx, p.pitch * k * sizeof(int));
    knn_kernel<<<(nq + QUERY_BLOCK - 1) / QUERY_BLOCK, QUERY_BLOCK>>>(p, d_dist, d_idx);
    mean_distance<<<(nq + 255) / 256, 256>>>(p, d_dist, d_mean);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_dist);
    cudaFree(d_idx);
    if (e != cudaSuccess)
        fprintf(stderr, "knn: %s\n", cudaGetErrorString(e));
    return e == cudaSuccess;
}
