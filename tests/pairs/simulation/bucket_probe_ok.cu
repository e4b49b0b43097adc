// Look-up in a bucketed hash table, eight lanes per query. Build: nvcc -arch=sm_80
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <algorithm>

namespace hashtab {

constexpr int kGroup = 8;        // lanes per query, slots per bucket
constexpr int kThreads = 256;
constexpr uint32_t kEmptyKey = 0xffffffffu;
constexpr uint32_t kNotFound = 0xffffffffu;

struct Slot {
    uint32_t key;
    uint32_t value;
};

struct Table {
    const Slot* slots;
    uint32_t bucketMask;
    int maxProbes;

    __device__ uint32_t bucketOf(uint32_t key) const
    {
        key *= 0x85ebca6bu;
        key ^= key >> 13;
        key *= 0xc2b2ae35u;
        return (key ^ (key >> 16)) & bucketMask;
    }
};

struct ProbeGroup {
    unsigned mask;
    int rank;
    int shift;

    __device__ static ProbeGroup current()
    {
        const int lane = threadIdx.x & 31;
        ProbeGroup g;
        g.rank = lane % kGroup;
        g.shift = lane - g.rank;
        g.mask = ((1u << kGroup) - 1u) << g.shift;
        return g;
    }

    // Bit i of the result belongs to rank i.
    __device__ unsigned vote(bool p) const
    {
        return (__ballot_sync(mask, p) & mask) >> shift;
    }

    __device__ uint32_t broadcast(uint32_t v, int fromRank) const
    {
        return __shfl_sync(mask, v, fromRank, kGroup);
    }
};

__device__ uint32_t lookup(const Table& t, uint32_t key, const ProbeGroup& g)
{
    uint32_t b = t.bucketOf(key);
    for (int probe = 0; probe < t.maxProbes; ++probe) {
        const Slot s = t.slots[size_t(b) * kGroup + g.rank];
        const unsigned hit = g.vote(s.key == key);
        if (hit != 0u)
            return g.broadcast(s.value, __ffs(hit) - 1);
        if (g.vote(s.key == kEmptyKey) != 0u)
            break;
        b = (b + 1) & t.bucketMask;
    }
    return kNotFound;
}

__global__ void __launch_bounds__(kThreads)
lookupKernel(Table t, const uint32_t* __restrict__ keys, uint32_t* __restrict__ values, int n)
{
    const ProbeGroup g = ProbeGroup::current();
    const int perGrid = gridDim.x * (kThreads / kGroup);
    for (int q = blockIdx.x * (kThreads / kGroup) + threadIdx.x / kGroup; q < n; q += perGrid) {
        const uint32_t v = lookup(t, keys[q], g);
        if (g.rank == 0)
            values[q] = v;
    }
}

cudaError_t lookupAll(const Slot* slots, uint32_t buckets, const uint32_t* keys,
                      uint32_t* values, int n, cudaStream_t s)
{
    if (buckets == 0 || (buckets & (buckets - 1)) != 0)
        return cudaErrorInvalidValue;
    if (n <= 0)
        return cudaSuccess;
    const Table t{slots, buckets - 1, int(std::min<uint32_t>(buckets, 64))};
    const int per = kThreads / kGroup;
    const int grid = std::min((n + per - 1) / per, 4096);
    lookupKernel<<<grid, kThreads, 0, s>>>(t, keys, values, n);
    return cudaGetLastError();
}

} // namespace hashtab
