#include <cuda_runtime.h>
#include <stdexcept>
#include <utility>

constexpr int kThreads = 128;
constexpr int kLocal = 1024;

struct Graph {
    int n;
    const int *ptr;
    const int *adj;
};

__global__ void start_at(int *dist, int n, int root, int *queue)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n)
        dist[v] = v == root ? 0 : -1;
    if (v == 0)
        queue[0] = root;
}

// One frontier vertex per thread; new vertices are gathered per block if they fit.
__global__ void __launch_bounds__(kThreads)
expand(Graph g, const int *frontier, int size, int *dist, int level, int *next, int *next_size)
{
    __shared__ int local[kLocal];
    __shared__ int used, base;

    for (int start = blockIdx.x * kThreads; start < size; start += gridDim.x * kThreads) {
        if (threadIdx.x == 0)
            used = 0;
        __syncthreads();

        const int q = start + threadIdx.x;
        if (q < size) {
            const int u = frontier[q];
            for (int k = g.ptr[u]; k < g.ptr[u + 1]; ++k) {
                const int v = g.adj[k];
                if (atomicCAS(&dist[v], -1, level) != -1)
                    continue;
                const int at = atomicAdd(&used, 1);
                if (at < kLocal)
                    local[at] = v;
                else
                    next[atomicAdd(next_size, 1)] = v;
            }
        }
        __syncthreads();

        const int kept = min(used, kLocal);
        if (threadIdx.x == 0)
            base = atomicAdd(next_size, kept);
        __syncthreads();
        for (int k = threadIdx.x; k < kept; k += kThreads)
            next[base + k] = local[k];
        __syncthreads();
    }
}

int distances(Graph g, int root, int *dist, int *queue_a, int *queue_b, int *size_dev)
{
    if (g.n < 1 || root < 0 || root >= g.n || g.n > (1 << 29))
        throw std::invalid_argument("distances");
    start_at<<<(g.n + 255) / 256, 256>>>(dist, g.n, root, queue_a);
    int *current = queue_a, *next = queue_b;
    int size = 1, level = 0;
    while (size > 0) {
        ++level;
        cudaMemset(size_dev, 0, sizeof(int));
        const int blocks = (size + kThreads - 1) / kThreads;
        expand<<<blocks < 2048 ? blocks : 2048, kThreads>>>(g, current, size, dist, level, next,
                                                            size_dev);
        if (cudaMemcpy(&size, size_dev, sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess)
            throw std::runtime_error("distances: device error");
        std::swap(current, next);
    }
    return level - 1;
}
