// Minimum spanning forest of many small graphs, one graph per single-thread block.
#include <cuda_runtime.h>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

struct WEdge {
    float w;
    int u, v;
};

struct ByWeight {
    __host__ __device__ bool operator()(const WEdge &a, const WEdge &b) const { return a.w < b.w; }
};

struct GraphBatch {
    const int *node_ptr;    // graphs + 1
    const int *edge_ptr;    // graphs + 1
    WEdge *edges;           // node numbers local to the graph
    int graphs;
};

__device__ int root_of(int *parent, int v)
{
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

__global__ void kruskal(GraphBatch b, int *parent_all, int *size_all, unsigned char *in_tree, float *total)
{
    const int g = blockIdx.x;
    int *parent = parent_all + b.node_ptr[g];
    int *size = size_all + b.node_ptr[g];
    const int n = b.node_ptr[g + 1] - b.node_ptr[g];
    for (int i = 0; i < n; ++i) {
        parent[i] = i;
        size[i] = 1;
    }
    float sum = 0.f;
    for (int e = b.edge_ptr[g]; e < b.edge_ptr[g + 1]; ++e) {
        int ru = root_of(parent, b.edges[e].u);
        int rv = root_of(parent, b.edges[e].v);
        in_tree[e] = ru != rv;
        if (ru == rv)
            continue;
        if (size[ru] < size[rv]) {
            int t = ru;
            ru = rv;
            rv = t;
        }
        parent[rv] = ru;
        size[ru] += size[rv];
        sum += b.edges[e].w;
    }
    total[g] = sum;
}

void spanning_forests(const GraphBatch &b, const int *h_edge_ptr, int total_nodes, unsigned char *d_in_tree, float *d_total,
                      cudaStream_t s)
{
    int *parent, *size;
    cudaMallocAsync(&parent, total_nodes * sizeof(int), s);
    cudaMallocAsync(&size, total_nodes * sizeof(int), s);
    for (int g = 0; g < b.graphs; ++g)
        thrust::sort(thrust::cuda::par.on(s), b.edges + h_edge_ptr[g], b.edges + h_edge_ptr[g + 1], ByWeight());
    if (b.graphs > 0)
        kruskal<<<b.graphs, 1, 0, s>>>(b, parent, size, d_in_tree, d_total);
    cudaFreeAsync(parent, s);
    cudaFreeAsync(size, s);
}
