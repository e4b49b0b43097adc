// Single source shortest paths, two-kernel scheme after Harish & Narayanan (HiPC 2007).
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CUDA_SAFE_CALL(call) do { cudaError_t e = (call); if (e != cudaSuccess) { \
    fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); exit(1); } } while (0)

static const int kInf = 0x3fffffff;

struct Graph {
    int  numVertices;
    int *vertexArray;   // numVertices + 1 offsets
    int *edgeArray;     // targets
    int *weightArray;
};

__global__ void relaxKernel(Graph g, const int *mask, const int *cost, int *updating)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid >= g.numVertices || mask[tid] == 0)
        return;
    int begin = g.vertexArray[tid];
    int end   = g.vertexArray[tid + 1];
    for (int e = begin; e < end; ++e) {
        int nid = g.edgeArray[e];
        int d   = cost[tid] + g.weightArray[e];
        atomicMin(&updating[nid], d);
    }
}

__global__ void commitKernel(int n, int *mask, int *cost, int *updating, int *again)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid >= n)
        return;
    mask[tid] = 0;
    if (cost[tid] > updating[tid]) {
        cost[tid] = updating[tid];
        mask[tid] = 1;
        atomicExch(again, 1);
    }
    updating[tid] = cost[tid];
}

__global__ void initKernel(int n, int src, int *mask, int *cost, int *updating)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid >= n) return;
    mask[tid] = (tid == src);
    cost[tid] = updating[tid] = (tid == src) ? 0 : kInf;
}

int runSssp(const Graph &g, int src, int *dCost)
{
    int *dMask, *dUpd, *dAgain, again = 1, rounds = 0;
    CUDA_SAFE_CALL(cudaMalloc(&dMask, g.numVertices * sizeof(int)));
    CUDA_SAFE_CALL(cudaMalloc(&dUpd, g.numVertices * sizeof(int)));
    CUDA_SAFE_CALL(cudaMalloc(&dAgain, sizeof(int)));
    const int threads = 256;
    const int blocks  = (g.numVertices + threads - 1) / threads;
    initKernel<<<blocks, threads>>>(g.numVertices, src, dMask, dCost, dUpd);
    while (again) {
        CUDA_SAFE_CALL(cudaMemset(dAgain, 0, sizeof(int)));
        relaxKernel<<<blocks, threads>>>(g, dMask, dCost, dUpd);
        commitKernel<<<blocks, threads>>>(g.numVertices, dMask, dCost, dUpd, dAgain);
        CUDA_SAFE_CALL(cudaMemcpy(&again, dAgain, sizeof(int), cudaMemcpyDeviceToHost));
        ++rounds;
    }
    cudaFree(dMask); cudaFree(dUpd); cudaFree(dAgain);
    return rounds;
}
