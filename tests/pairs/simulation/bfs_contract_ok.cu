// BFS contraction: filters candidate vertices against a bitmap. Build: nvcc -arch=sm_80
#include <cuda_runtime.h>
#include <cstdio>
#include <algorithm>

namespace graph {

constexpr int kThreads = 256;

struct Frontier {
    int* items;
    int* size;
    int capacity;
};

struct BlockQueue {
    int items[kThreads];
    int count;
    int base;

    __device__ void reset()
    {
        if (threadIdx.x == 0)
            count = 0;
    }
    __device__ void push(int v) { items[atomicAdd(&count, 1)] = v; }
    __device__ void reserve(int* globalSize)
    {
        if (threadIdx.x == 0)
            base = atomicAdd(globalSize, count);
    }
    __device__ void drain(const Frontier& f) const
    {
        for (int k = threadIdx.x; k < count; k += kThreads)
            if (base + k < f.capacity)
                f.items[base + k] = items[k];
    }
};

__device__ __forceinline__ bool markVisited(unsigned* bitmap, int v)
{
    const unsigned bit = 1u << (v & 31);
    return (atomicOr(&bitmap[v >> 5], bit) & bit) == 0;
}

__global__ void __launch_bounds__(kThreads)
contract(const int* __restrict__ candidates, int n, unsigned* __restrict__ visited,
         int* __restrict__ depth, int level, Frontier next)
{
    __shared__ BlockQueue queue;
    queue.reset();
    __syncthreads();

    const int stride = gridDim.x * kThreads;
    for (int start = blockIdx.x * kThreads; start < n; start += stride) {
        const int i = start + threadIdx.x;
        if (i < n) {
            const int v = candidates[i];
            if (v >= 0 && markVisited(visited, v)) {
                depth[v] = level;
                queue.push(v);
            }
        }
        __syncthreads();
        queue.reserve(next.size);
        __syncthreads();
        queue.drain(next);
        __syncthreads();
        queue.reset();
        __syncthreads();
    }
}

class BfsLevel {
public:
    BfsLevel(unsigned* visited, int* depth, int maxBlocks)
        : visited_(visited), depth_(depth), maxBlocks_(maxBlocks)
    {
    }

    cudaError_t advance(const int* cand, int n, int level, const Frontier& next,
                        cudaStream_t s)
    {
        cudaError_t e = cudaMemsetAsync(next.size, 0, sizeof(int), s);
        if (e != cudaSuccess || n <= 0)
            return e;
        const int grid = std::min((n + kThreads - 1) / kThreads, maxBlocks_);
        contract<<<grid, kThreads, 0, s>>>(cand, n, visited_, depth_, level, next);
        return cudaGetLastError();
    }

private:
    unsigned* visited_;
    int* depth_;
    int maxBlocks_;
};

cudaError_t bfsContract(const int* cand, int n, unsigned* visited, int* depth, int level,
                        Frontier next, cudaStream_t s)
{
    BfsLevel l(visited, depth, 1024);
    return l.advance(cand, n, level, next, s);
}

} // namespace graph
