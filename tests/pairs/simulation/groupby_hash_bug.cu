// GROUP BY key, SUM(value), COUNT(*) with a block-local hash table. Build: nvcc -arch=sm_80
#include <cuda_runtime.h>
#include <cstdio>
#include <algorithm>

namespace agg {

constexpr int kThreads = 256;
constexpr int kSlots = 1024;
constexpr int kEmpty = -1;

typedef unsigned long long u64;

struct GlobalTable {
    int* keys; // kEmpty where unused
    u64* sums;
    u64* counts;
    unsigned mask;
};

struct LocalTable {
    int keys[kSlots];
    u64 sums[kSlots];
    u64 counts[kSlots];
};

__device__ __forceinline__ unsigned hashKey(int k)
{
    unsigned h = unsigned(k);
    h ^= h >> 16;
    h *= 0x7feb352du;
    h ^= h >> 15;
    h *= 0x846ca68bu;
    return h ^ (h >> 16);
}

__device__ void initLocal(LocalTable& t)
{
    for (int i = threadIdx.x; i < kSlots; i += kThreads) {
        t.keys[i] = kEmpty;
        t.sums[i] = 0;
        t.counts[i] = 0;
    }
}

__device__ void addGlobal(const GlobalTable& g, int key, u64 sum, u64 count)
{
    for (unsigned s = hashKey(key) & g.mask;; s = (s + 1) & g.mask) {
        const int prev = atomicCAS(&g.keys[s], kEmpty, key);
        if (prev == kEmpty || prev == key) {
            atomicAdd(&g.sums[s], sum);
            atomicAdd(&g.counts[s], count);
            return;
        }
    }
}

__device__ bool addLocal(LocalTable& t, int key, unsigned value)
{
    unsigned s = hashKey(key) % kSlots;
    for (int probe = 0; probe < 16; ++probe) {
        const int prev = atomicCAS(&t.keys[s], kEmpty, key);
        if (prev == kEmpty) {
            t.sums[s] = value;
            atomicAdd(&t.counts[s], u64(1));
            return true;
        }
        if (prev == key) {
            atomicAdd(&t.sums[s], u64(value));
            atomicAdd(&t.counts[s], u64(1));
            return true;
        }
        s = (s + 1) % kSlots;
    }
    return false;
}

__global__ void __launch_bounds__(kThreads)
aggregate(const int* __restrict__ keys, const unsigned* __restrict__ vals, int n,
          GlobalTable g)
{
    __shared__ LocalTable local;
    initLocal(local);
    __syncthreads();

    for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads) {
        const int k = keys[i];
        const unsigned v = vals[i];
        if (!addLocal(local, k, v))
            addGlobal(g, k, v, 1);
    }
    __syncthreads();

    for (int s = threadIdx.x; s < kSlots; s += kThreads)
        if (local.keys[s] != kEmpty)
            addGlobal(g, local.keys[s], local.sums[s], local.counts[s]);
}

cudaError_t groupBySum(const int* keys, const unsigned* vals, int n, GlobalTable g,
                       cudaStream_t st)
{
    if (n <= 0)
        return cudaSuccess;
    const int grid = std::min((n + kThreads * 8 - 1) / (kThreads * 8), 640);
    aggregate<<<grid, kThreads, 0, st>>>(keys, vals, n, g);
    return cudaGetLastError();
}

} // namespace agg
