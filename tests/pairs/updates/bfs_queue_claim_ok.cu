// Top-down breadth first search with frontier queues in global memory.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

typedef unsigned int u32;

struct csr_graph {
    u32 n;
    const u32 *row_offsets;
    const u32 *col_indices;
};

struct frontier {
    u32 *items;     /* capacity: n */
    u32 *size;
};

__device__ __forceinline__ u32 reserve(frontier f)
{
    return atomicAdd(f.size, 1u);
}

__global__ void expand(csr_graph g, const u32 *in, u32 in_size, frontier out,
                       int *visited, int *level, u32 *pred, int depth)
{
    u32 tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid >= in_size)
        return;
    u32 u = in[tid];
    for (u32 e = g.row_offsets[u]; e < g.row_offsets[u + 1]; ++e) {
        u32 v = g.col_indices[e];
        if (atomicExch(&visited[v], 1) == 0) {
            level[v] = depth;
            pred[v] = u;
            out.items[reserve(out)] = v;
        }
    }
}

static void swap_ptr(u32 **a, u32 **b) { u32 *t = *a; *a = *b; *b = t; }

int bfs(csr_graph g, u32 source, int *d_level, u32 *d_pred)
{
    u32 *qa, *qb, *d_size, size = 1;
    int *d_visited, depth = 0, one = 1, zero = 0;
    cudaMalloc((void **)&qa, g.n * sizeof(u32));
    cudaMalloc((void **)&qb, g.n * sizeof(u32));
    cudaMalloc((void **)&d_size, sizeof(u32));
    cudaMalloc((void **)&d_visited, g.n * sizeof(int));
    cudaMemset(d_visited, 0, g.n * sizeof(int));
    cudaMemset(d_level, 0xff, g.n * sizeof(int));
    cudaMemcpy(qa, &source, sizeof(u32), cudaMemcpyHostToDevice);
    cudaMemcpy(d_visited + source, &one, sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d_level + source, &zero, sizeof(int), cudaMemcpyHostToDevice);

    while (size > 0) {
        ++depth;
        cudaMemset(d_size, 0, sizeof(u32));
        frontier out = { qb, d_size };
        expand<<<(size + 127) / 128, 128>>>(g, qa, size, out, d_visited, d_level, d_pred, depth);
        cudaMemcpy(&size, d_size, sizeof(u32), cudaMemcpyDeviceToHost);
        swap_ptr(&qa, &qb);
    }
    cudaFree(qa);
    cudaFree(qb);
    cudaFree(d_size);
    cudaFree(d_visited);
    return depth - 1;
}
