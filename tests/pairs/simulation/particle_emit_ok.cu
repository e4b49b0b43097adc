// Particles that leave a subdomain are appended to send lists. Build: nvcc -arch=sm_80
#include <cuda_runtime.h>
#include <cstdio>
#include <algorithm>

namespace decomp {

struct Particle {
    float x, y, z;
    float vx, vy, vz;
    int id;
};

struct Slab {
    float lo, hi;
    __device__ bool contains(float x) const { return x >= lo && x < hi; }
};

struct SendList {
    Particle* data;
    int* count;
    int capacity;
};

__device__ __forceinline__ int lanesBelow(unsigned mask)
{
    unsigned below;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    return __popc(mask & below);
}

// One atomic per warp for the lanes in peers.
__device__ int aggregatedIncrement(int* counter, unsigned peers)
{
    const int leader = __ffs(peers) - 1;
    const int rank = lanesBelow(peers);
    int base = 0;
    if (rank == 0)
        base = atomicAdd(counter, __popc(peers));
    base = __shfl_sync(peers, base, leader);
    return base + rank;
}

__device__ void append(const SendList& list, const Particle& p, unsigned peers)
{
    const int slot = aggregatedIncrement(list.count, peers);
    if (slot < list.capacity)
        list.data[slot] = p;
}

__global__ void moveAndSplit(Particle* __restrict__ parts, int n, float dt, Slab slab,
                             SendList left, SendList right)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    Particle p{};
    bool toLeft = false, toRight = false;
    if (i < n) {
        p = parts[i];
        p.x += p.vx * dt;
        p.y += p.vy * dt;
        p.z += p.vz * dt;
        parts[i] = p;
        toLeft = p.x < slab.lo;
        toRight = !toLeft && p.x >= slab.hi;
    }
    const unsigned leftPeers = __ballot_sync(0xffffffffu, toLeft);
    const unsigned rightPeers = __ballot_sync(0xffffffffu, toRight);
    if (toLeft)
        append(left, p, leftPeers);
    if (toRight)
        append(right, p, rightPeers);
}

cudaError_t advance(Particle* parts, int n, float dt, Slab slab, SendList left, SendList right,
                    cudaStream_t s)
{
    cudaError_t e = cudaMemsetAsync(left.count, 0, sizeof(int), s);
    if (e == cudaSuccess)
        e = cudaMemsetAsync(right.count, 0, sizeof(int), s);
    if (e != cudaSuccess || n <= 0)
        return e;
    int minGrid = 0, block = 0;
    e = cudaOccupancyMaxPotentialBlockSize(&minGrid, &block, moveAndSplit, 0, 0);
    if (e != cudaSuccess)
        return e;
    block = std::max(32, block / 32 * 32);
    moveAndSplit<<<(n + block - 1) / block, block, 0, s>>>(parts, n, dt, slab, left, right);
    return cudaGetLastError();
}

} // namespace decomp
