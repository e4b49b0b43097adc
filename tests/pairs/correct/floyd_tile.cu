// All-pairs shortest paths of many small graphs, one block for a graph.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

constexpr int kMaxNodes = 48;
constexpr unsigned kFar = 0x3fffffffu;

struct Paths {
    unsigned *dist;        // per graph: nodes x nodes, kFar for no edge
    unsigned char *via;    // last intermediate node, 255 for none
    const int *nodes;      // order of each graph
    int stride;            // elements between graphs
};

__global__ void __launch_bounds__(256) shortest(Paths p)
{
    __shared__ unsigned d[kMaxNodes][kMaxNodes + 1];
    __shared__ unsigned char via[kMaxNodes * kMaxNodes];
    const int n = min(p.nodes[blockIdx.x], kMaxNodes);
    unsigned *gd = p.dist + (size_t)blockIdx.x * p.stride;
    unsigned char *gv = p.via + (size_t)blockIdx.x * p.stride;

    for (int e = threadIdx.x; e < n * n; e += blockDim.x) {
        const int i = e / n, j = e % n;
        d[i][j] = i == j ? 0u : min(gd[e], kFar);
        via[e] = 255;
    }
    __syncthreads();

    for (int k = 0; k < n; ++k) {
        for (int e = threadIdx.x; e < n * n; e += blockDim.x) {
            const int i = e / n, j = e % n;
            if (i == k || j == k)
                continue;
            const unsigned through = d[i][k] + d[k][j];
            if (through < d[i][j]) {
                d[i][j] = through;
                via[e] = static_cast<unsigned char>(k);
            }
        }
        __syncthreads();
    }

    for (int e = threadIdx.x; e < n * n; e += blockDim.x) {
        gd[e] = d[e / n][e % n];
        gv[e] = via[e];
    }
}

int shortest_paths(Paths p, const std::vector<int> &host_nodes, cudaStream_t s)
{
    for (int n : host_nodes)
        if (n < 1 || n > kMaxNodes || n * n > p.stride) {
            std::fprintf(stderr, "shortest_paths: graph of order %d\n", n);
            return -1;
        }
    if (host_nodes.empty())
        return 0;
    shortest<<<(unsigned)host_nodes.size(), 256, 0, s>>>(p);
    return cudaGetLastError() == cudaSuccess ? 0 : -2;
}
