// Connected components by lock-free union-find; all parent accesses are atomic.
#include <cuda/atomic>
#include <cuda_runtime.h>

using Ref = cuda::atomic_ref<int, cuda::thread_scope_device>;

__device__ int find_root(int* parent, int v)
{
    int p = Ref(parent[v]).load(cuda::memory_order_relaxed);
    while (p != v) {
        const int gp = Ref(parent[p]).load(cuda::memory_order_relaxed);
        if (gp != p) {
            // path halving; a lost race only leaves a longer path
            int expected = p;
            Ref(parent[v]).compare_exchange_strong(expected, gp, cuda::memory_order_relaxed);
        }
        v = p;
        p = gp;
    }
    return v;
}

__device__ void unite(int* parent, int a, int b)
{
    while (true) {
        a = find_root(parent, a);
        b = find_root(parent, b);
        if (a == b) return;
        if (a < b) {
            const int t = a;
            a = b;
            b = t;
        }
        int expected = a;       // hang the larger root under the smaller
        if (Ref(parent[a]).compare_exchange_strong(expected, b, cuda::memory_order_relaxed)) return;
    }
}

__global__ void init(int* parent, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) parent[i] = i;
}

__global__ void link_edges(int* parent, const int2* __restrict__ edges, int m)
{
    for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < m; e += gridDim.x * blockDim.x) {
        const int2 uv = edges[e];
        if (uv.x != uv.y) unite(parent, uv.x, uv.y);
    }
}

__global__ void flatten(int* parent, int* __restrict__ label, int* __restrict__ sizes, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int r = find_root(parent, i);
    label[i] = r;
    atomicAdd(&sizes[r], 1);
}

void components(int* parent, int n, const int2* edges, int m, int* label, int* sizes, cudaStream_t s)
{
    if (n <= 0) return;
    const int nb = (n + 255) / 256;
    cudaMemsetAsync(sizes, 0, n * sizeof(int), s);
    init<<<nb, 256, 0, s>>>(parent, n);
    if (m > 0) {
        const int mb = (m + 255) / 256;
        link_edges<<<mb < 2048 ? mb : 2048, 256, 0, s>>>(parent, edges, m);
    }
    flatten<<<nb, 256, 0, s>>>(parent, label, sizes, n);
}
