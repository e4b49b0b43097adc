// Size of the intersection of two sorted adjacency lists (triangle counting).
#include <cuda_runtime.h>
#include <climits>
#include <cstdio>

#define HALF 16

struct Graph {
    int vertices;
    int edges;
    const int *offsets;
    const int *neighbours;  // sorted within a list, no duplicates
    const int *sources;     // source of every edge
};

__device__ int intersect(const int *a, int na, const int *b, int nb, unsigned mask)
{
    const int sub = threadIdx.x % HALF;
    int ia = 0, ib = 0, mine = 0;
    while (ia < na && ib < nb) {
        const int va = ia + sub < na ? a[ia + sub] : INT_MAX;
        const int vb = ib + sub < nb ? b[ib + sub] : INT_MAX;
        for (int r = 0; r < HALF; ++r) {
            const int other = __shfl_sync(mask, vb, r, HALF);
            mine += (va == other) & (va != INT_MAX);
        }
        const int last_a = __shfl_sync(mask, va, HALF - 1, HALF);
        const int last_b = __shfl_sync(mask, vb, HALF - 1, HALF);
        if (last_a == INT_MAX && last_b == INT_MAX)
            break;
        if (last_a <= last_b)
            ia += HALF;
        if (last_b <= last_a)
            ib += HALF;
    }
    return mine;
}

__global__ void count_triangles(Graph g, unsigned long long *total)
{
    const int lane = threadIdx.x & 31;
    const unsigned mask = lane < HALF ? 0x0000ffffu : 0xffff0000u;
    const int half = (blockIdx.x * blockDim.x + threadIdx.x) / HALF;
    const int halves = gridDim.x * blockDim.x / HALF;

    unsigned long long local = 0;
    for (int e = half; e < g.edges; e += halves) {
        const int u = g.sources[e], v = g.neighbours[e];
        if (u >= v)
            continue;
        local += intersect(g.neighbours + g.offsets[u], g.offsets[u + 1] - g.offsets[u],
                           g.neighbours + g.offsets[v], g.offsets[v + 1] - g.offsets[v], mask);
    }
    __syncwarp();
    for (int d = 16; d > 0; d >>= 1)
        local += __shfl_down_sync(0xffffffffu, local, d);
    if (lane == 0 && local)
        atomicAdd(total, local);
}

bool triangles(const Graph &g, unsigned long long *total_dev, cudaStream_t stream)
{
    if (g.vertices < 0 || g.edges < 0 || g.edges > (1 << 30))
        return false;
    if (cudaMemsetAsync(total_dev, 0, sizeof *total_dev, stream) != cudaSuccess)
        return false;
    if (g.edges == 0)
        return true;
    const int block = 256, per_block = block / HALF;
    int grid = (g.edges + per_block - 1) / per_block;
    if (grid > 4096)
        grid = 4096;
    count_triangles<<<grid, block, 0, stream>>>(g, total_dev);
    cudaError_t err = cudaGetLastError();
    if (err != cudaSuccess)
        std::fprintf(stderr, "triangles: %s\n", cudaGetErrorString(err));
    return err == cudaSuccess;
}
