// Connected components by edge-parallel union-find.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

using vid = int;

struct Edge { vid u, v; };

__device__ vid find_root(const volatile vid* parent, vid v)
{
    vid p = parent[v];
    while (p != v) {
        v = p;
        p = parent[v];
    }
    return v;
}

__device__ void unite(vid* parent, vid u, vid v)
{
    for (;;) {
        u = find_root(parent, u);
        v = find_root(parent, v);
        if (u == v)
            return;
        const vid hi = max(u, v), lo = min(u, v);
        volatile vid* slot = parent + hi;
        if (*slot == hi) {
            *slot = lo;
            return;
        }
    }
}

__global__ void init_parent(vid* parent, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) parent[i] = i;
}

__global__ void hook_edges(const Edge* __restrict__ edges, int m, vid* parent)
{
    const int stride = gridDim.x * blockDim.x;
    for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < m; e += stride)
        unite(parent, edges[e].u, edges[e].v);
}

__global__ void flatten(const vid* __restrict__ parent, vid* __restrict__ label, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    vid r = i;
    while (parent[r] != r) r = parent[r];
    label[i] = r;
}

std::vector<vid> connected_components(const std::vector<Edge>& edges, int n)
{
    Edge* d_edges;
    vid *d_parent, *d_label;
    cudaMalloc(&d_edges, edges.size() * sizeof(Edge));
    cudaMalloc(&d_parent, n * sizeof(vid));
    cudaMalloc(&d_label, n * sizeof(vid));
    cudaMemcpy(d_edges, edges.data(), edges.size() * sizeof(Edge), cudaMemcpyHostToDevice);
    const int tb = 256, nb = (n + tb - 1) / tb;
    init_parent<<<nb, tb>>>(d_parent, n);
    if (!edges.empty()) {
        const int m = (int)edges.size();
        hook_edges<<<(m + tb - 1) / tb, tb>>>(d_edges, m, d_parent);
    }
    flatten<<<nb, tb>>>(d_parent, d_label, n);
    std::vector<vid> label(n);
    cudaMemcpy(label.data(), d_label, n * sizeof(vid), cudaMemcpyDeviceToHost);
    cudaFree(d_edges); cudaFree(d_parent); cudaFree(d_label);
    return label;
}
