// Applies a permutation: inverse is built first, payload is then scattered by it.
#include <cuda_runtime.h>

struct Body { float4 pos_mass; float4 vel; };

// perm holds every index of 0..n-1 exactly once (result of a sort).
__global__ void invert(const int* __restrict__ perm, int* __restrict__ inv, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        inv[perm[i]] = i;
}

__global__ void scatter_bodies(const Body* __restrict__ src, Body* __restrict__ dst,
                               const int* __restrict__ inv, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) dst[inv[i]] = src[i];
}

__global__ void remap_links(int2* __restrict__ links, const int* __restrict__ inv, int m)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m) return;
    int2 l = links[i];
    l.x = inv[l.x];
    l.y = inv[l.y];
    if (l.x > l.y) {
        const int t = l.x;
        l.x = l.y;
        l.y = t;
    }
    links[i] = l;
}

cudaError_t reorder(const Body* src, Body* dst, const int* perm, int* inv, int n, int2* links,
                    int m, cudaStream_t s)
{
    if (n <= 0 || m < 0) return cudaErrorInvalidValue;
    const int t = 256;
    int blocks = (n + t - 1) / t;
    invert<<<blocks < 1024 ? blocks : 1024, t, 0, s>>>(perm, inv, n);
    scatter_bodies<<<blocks, t, 0, s>>>(src, dst, inv, n);
    if (m > 0) remap_links<<<(m + t - 1) / t, t, 0, s>>>(links, inv, m);
    return cudaGetLastError();
}
