// Level-synchronous BFS: one warp expands one vertex; degree broadcast decides the path.
#include <cuda_runtime.h>

struct Graph {
    const int* ptr;
    const int* adj;
    int n;
};

__global__ void expand(Graph g, const int* __restrict__ frontier, const int* __restrict__ fsize,
                       int* __restrict__ next, int* __restrict__ nsize, int* dist, int level)
{
    const unsigned all = 0xffffffffu;
    const int lane  = threadIdx.x & 31;
    const int warp  = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    const int warps = (gridDim.x * blockDim.x) >> 5;
    const int total = *fsize;

    for (int f = warp; f < total; f += warps) {
        int begin = 0, deg = 0;
        if (lane == 0) {
            const int v = frontier[f];
            begin = g.ptr[v];
            deg = g.ptr[v + 1] - begin;
        }
        begin = __shfl_sync(all, begin, 0);
        deg   = __shfl_sync(all, deg, 0);
        if (deg == 0) continue;

        for (int k0 = 0; k0 < deg; k0 += 32) {
            const int k = k0 + lane;
            bool fresh = false;
            int u = -1;
            if (k < deg) {
                u = g.adj[begin + k];
                fresh = atomicCAS(&dist[u], -1, level + 1) == -1;
            }
            const unsigned won = __ballot_sync(all, fresh);
            if (won != 0) {
                int at = 0;
                if (lane == 0) at = atomicAdd(nsize, __popc(won));
                at = __shfl_sync(all, at, 0);
                if (fresh) next[at + __popc(won & ((1u << lane) - 1u))] = u;
            }
        }
    }
}

__global__ void seed(int* dist, int* frontier, int* fsize, int n, int source)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) dist[i] = (i == source) ? 0 : -1;
    if (i == 0) {
        frontier[0] = source;
        *fsize = 1;
    }
}

// sizes: two ints on the device; qa/qb: n ints each.
int bfs(Graph g, int source, int* dist, int* qa, int* qb, int* sizes, cudaStream_t s)
{
    if (source < 0 || source >= g.n) return -1;
    seed<<<(g.n + 255) / 256, 256, 0, s>>>(dist, qa, &sizes[0], g.n, source);
    int level = 0, cur = 0, h = 1;
    while (h > 0) {
        cudaMemsetAsync(&sizes[cur ^ 1], 0, sizeof(int), s);
        const int blocks = h < 8 * 512 ? (h + 7) / 8 : 512;
        expand<<<blocks, 256, 0, s>>>(g, cur ? qb : qa, &sizes[cur], cur ? qa : qb,
                                      &sizes[cur ^ 1], dist, level);
        cur ^= 1;
        ++level;
        cudaMemcpyAsync(&h, &sizes[cur], sizeof(int), cudaMemcpyDeviceToHost, s);
        if (cudaStreamSynchronize(s) != cudaSuccess) return -2;
    }
    return level;
}
