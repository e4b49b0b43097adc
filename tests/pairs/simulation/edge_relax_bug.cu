// One round of Bellman-Ford with a work list of improved vertices. Build: nvcc -arch=sm_80
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <climits>
#include <cstdio>

namespace cg = cooperative_groups;

namespace sssp {

struct Graph {
    int vertices;
    const int* rowStart;
    const int* target;
    const int* weight;
};

struct WorkList {
    int* items;
    int* count;
    unsigned* queued; // bitmap of the vertices already in the list

    __device__ bool claim(int v) const
    {
        const unsigned bit = 1u << (v & 31);
        return (atomicOr(&queued[v >> 5], bit) & bit) == 0u;
    }
};

__device__ void pushAggregated(const WorkList& list, int v, const cg::coalesced_group& peers)
{
    int base = 0;
    if (peers.thread_rank() == 0)
        base = atomicAdd(list.count, int(peers.size()));
    base = peers.shfl(base, 0);
    list.items[base + peers.thread_rank()] = v;
}

// Distances of the round are read from distIn and improved in distOut.
__global__ void relaxRound(Graph g, const int* __restrict__ frontier, int nFrontier,
                           const int* __restrict__ distIn, int* __restrict__ distOut,
                           WorkList next)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nFrontier)
        return;
    const int u = frontier[i];
    const int du = distIn[u];
    if (du == INT_MAX)
        return;
    const int end = g.rowStart[u + 1];
    for (int k = g.rowStart[u]; k < end; ++k) {
        const int v = g.target[k];
        const int cand = du + g.weight[k];
        const bool better = cand < distIn[v] && cand < atomicMin(&distOut[v], cand);
        const cg::coalesced_group peers = cg::coalesced_threads();
        if (better && next.claim(v))
            pushAggregated(next, v, peers);
    }
}

class Solver {
public:
    Solver(const Graph& g, int blockSize) : g_(g), block_(blockSize) {}

    cudaError_t round(const int* frontier, int n, int* distIn, int* distOut, WorkList next,
                      cudaStream_t s) const
    {
        const size_t bytes = size_t(g_.vertices) * sizeof(int);
        const size_t words = (size_t(g_.vertices) + 31) / 32;
        cudaError_t e = cudaMemcpyAsync(distOut, distIn, bytes, cudaMemcpyDeviceToDevice, s);
        if (e == cudaSuccess)
            e = cudaMemsetAsync(next.count, 0, sizeof(int), s);
        if (e == cudaSuccess)
            e = cudaMemsetAsync(next.queued, 0, words * sizeof(unsigned), s);
        if (e != cudaSuccess || n <= 0)
            return e;
        relaxRound<<<(n + block_ - 1) / block_, block_, 0, s>>>(g_, frontier, n, distIn, distOut,
                                                               next);
        return cudaGetLastError();
    }

private:
    Graph g_;
    int block_;
};

cudaError_t relax(const Graph& g, const int* frontier, int n, int* distIn, int* distOut,
                  WorkList next, cudaStream_t s)
{
    return Solver(g, 128).round(frontier, n, distIn, distOut, next, s);
}

} // namespace sssp
