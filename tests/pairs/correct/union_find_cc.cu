// Connected components by lock-free union-find (hook the larger root below the smaller).
#include <cstdio>
#include <vector>
#include <cuda/atomic>
#include <cuda_runtime.h>

using link_t = cuda::atomic_ref<int, cuda::thread_scope_device>;

__device__ int find_root(int *parent, int v)
{
    for (;;) {
        const int p = link_t(parent[v]).load(cuda::memory_order_relaxed);
        if (p == v)
            return v;
        v = p;
    }
}

__global__ void init(int *parent, int n)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n)
        parent[v] = v;
}

__global__ void hook(const int2 *__restrict__ edge, int m, int *parent)
{
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m)
        return;
    int a = find_root(parent, edge[e].x);
    int b = find_root(parent, edge[e].y);
    while (a != b) {
        if (a > b) {
            const int t = a;
            a = b;
            b = t;
        }
        int expected = b; // b must still be a root
        if (link_t(parent[b]).compare_exchange_strong(expected, a, cuda::memory_order_relaxed))
            break;
        b = find_root(parent, expected);
        a = find_root(parent, a);
    }
}

// parents are always smaller, so following them ends; other threads compress at the same time
__global__ void compress(int *parent, int n)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n)
        link_t(parent[v]).store(find_root(parent, v), cuda::memory_order_relaxed);
}

int main()
{
    const int n = 100000;
    std::vector<int2> edges;
    for (int i = 0; i + 7 < n; i += 2)
        edges.push_back(make_int2(i, i + 7));
    for (int i = 0; i < n; i += 3)
        edges.push_back(make_int2(i, (i * 5 + 1) % n));
    const int m = (int)edges.size();
    int *parent;
    int2 *de;
    cudaMalloc(&parent, n * sizeof(int));
    cudaMalloc(&de, m * sizeof(int2));
    cudaMemcpy(de, edges.data(), m * sizeof(int2), cudaMemcpyHostToDevice);
    init<<<(n + 255) / 256, 256>>>(parent, n);
    hook<<<(m + 255) / 256, 256>>>(de, m, parent);
    compress<<<(n + 255) / 256, 256>>>(parent, n);
    std::vector<int> h(n);
    cudaMemcpy(h.data(), parent, n * sizeof(int), cudaMemcpyDeviceToHost);
    int roots = 0;
    for (int i = 0; i < n; ++i)
        roots += h[i] == i;
    printf("%d %s\n", roots, cudaGetErrorString(cudaGetLastError()));
    cudaFree(parent);
    cudaFree(de);
    return 0;
}
