// Connected components by hooking and pointer jumping (ECL-CC style); all shared
// accesses to the parent array in the concurrent phase are atomic.
#include <cuda_runtime.h>
#include <cuda/atomic>
#include <stdexcept>

using PRef = cuda::atomic_ref<int, cuda::thread_scope_device>;

struct Forest {
    int* parent;

    __device__ int find(int v) const
    {
        int cur = PRef(parent[v]).load(cuda::memory_order_relaxed);
        if (cur != v) {
            int prev = v, next;
            while (cur > (next = PRef(parent[cur]).load(cuda::memory_order_relaxed))) {
                PRef(parent[prev]).store(next, cuda::memory_order_relaxed);     // path halving
                prev = cur;
                cur = next;
            }
        }
        return cur;
    }
    __device__ void unite(int a, int b) const
    {
        a = find(a);
        b = find(b);
        while (a != b) {
            if (a < b) { const int t = a; a = b; b = t; }
            const int old = atomicCAS(&parent[a], a, b);
            if (old == a) return;
            a = find(old);
        }
    }
};

__global__ void initForest(Forest f, int n)
{
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x) f.parent[v] = v;
}

__global__ void hook(Forest f, const int2* __restrict__ edges, int m)
{
    for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < m; e += gridDim.x * blockDim.x)
        f.unite(edges[e].x, edges[e].y);
}

__global__ void flatten(Forest f, int* __restrict__ label, int n)
{
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x) {
        int r = v;
        while (f.parent[r] != r) r = f.parent[r];   // read-only phase
        label[v] = r;
    }
}

void components(int* parent, int n, const int2* edges, int m, int* label, cudaStream_t s)
{
    if (n <= 0 || n > (1 << 29) || m < 0 || m > (1 << 29) || parent == label) throw std::invalid_argument("components");
    const Forest f{parent};
    auto grid = [](int k) { int g = (k + 255) / 256; return g > 2048 ? 2048 : g; };
    initForest<<<grid(n), 256, 0, s>>>(f, n);
    if (m) hook<<<grid(m), 256, 0, s>>>(f, edges, m);
    flatten<<<grid(n), 256, 0, s>>>(f, label, n);
}
