// Level-synchronous BFS: byte flags set by one kernel and consumed by the next on the stream.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

struct Graph { int n; const int *ptr; const int *adj; };

__global__ void expand(Graph g, const unsigned char *frontier, const int *level, int *wants)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= g.n || !frontier[v])
        return;
    for (int e = g.ptr[v]; e < g.ptr[v + 1]; ++e) {
        const int u = g.adj[e];
        if (level[u] < 0)
            atomicExch(&wants[u], 1);
    }
}

__global__ void settle(Graph g, unsigned char *frontier, int *level, int *wants, int depth, int *more)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    const bool in = v < g.n && wants[v] != 0;
    if (v < g.n) {
        frontier[v] = in;
        if (in) {
            level[v] = depth;
            wants[v] = 0;
        }
    }
    if (__syncthreads_or(in) && threadIdx.x == 0)
        atomicOr(more, 1);
}

int main()
{
    const int n = 5000;
    std::vector<int> ptr(n + 1, 0), adj;
    for (int i = 0; i < n; ++i) {
        adj.push_back((i + 1) % n);
        adj.push_back((i * 17 + 3) % n);
        ptr[i + 1] = (int)adj.size();
    }
    int *dp, *da, *level, *wants, *more;
    unsigned char *front;
    cudaMalloc(&dp, ptr.size() * sizeof(int));
    cudaMalloc(&da, adj.size() * sizeof(int));
    cudaMalloc(&level, n * sizeof(int));
    cudaMalloc(&wants, n * sizeof(int));
    cudaMalloc(&more, sizeof(int));
    cudaMalloc(&front, n);
    cudaMemcpy(dp, ptr.data(), ptr.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(da, adj.data(), adj.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(level, 0xff, n * sizeof(int));
    cudaMemset(wants, 0, n * sizeof(int));
    cudaMemset(front, 0, n);
    const int zero = 0;
    const unsigned char one = 1;
    cudaMemcpy(level, &zero, sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(front, &one, 1, cudaMemcpyHostToDevice);
    Graph g{n, dp, da};
    int again = 1;
    for (int depth = 1; again; ++depth) {
        cudaMemset(more, 0, sizeof(int));
        expand<<<(n + 127) / 128, 128>>>(g, front, level, wants);
        settle<<<(n + 127) / 128, 128>>>(g, front, level, wants, depth, more);
        if (cudaMemcpy(&again, more, sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess)
            return 1;
    }
    return 0;
}
