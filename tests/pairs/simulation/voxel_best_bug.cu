// Strongest photon per voxel, records guarded by per-voxel locks. Build: nvcc -arch=sm_80
#include <cuda_runtime.h>
#include <cstdio>
#include <algorithm>

namespace photon {

struct Hit {
    float x, y, z;
    float energy;
};

struct VoxelGrid {
    int3 dims;
    float3 origin;
    float invCell;
    int* lock;               // 0 free, 1 taken
    volatile float* energy;  // strongest so far
    volatile int* hitIndex;

    __device__ int find(const Hit& h) const
    {
        const int x = int(floorf((h.x - origin.x) * invCell));
        const int y = int(floorf((h.y - origin.y) * invCell));
        const int z = int(floorf((h.z - origin.z) * invCell));
        if (x < 0 || y < 0 || z < 0 || x >= dims.x || y >= dims.y || z >= dims.z)
            return -1;
        return (z * dims.y + y) * dims.x + x;
    }
};

class VoxelLock {
public:
    __device__ explicit VoxelLock(int* word) : word_(word) {}
    __device__ bool tryAcquire()
    {
        if (atomicCAS(word_, 0, 1) != 0)
            return false;
        __threadfence();
        return true;
    }
    __device__ void release()
    {
        atomicExch(word_, 0);
    }

private:
    int* word_;
};

__device__ void keepStrongest(const VoxelGrid& g, int v, float energy, int index)
{
    VoxelLock lock(&g.lock[v]);
    bool done = false;
    while (!done) {
        if (lock.tryAcquire()) {
            const float old = g.energy[v];
            if (energy > old || (energy == old && index < g.hitIndex[v])) {
                g.energy[v] = energy;
                g.hitIndex[v] = index;
            }
            lock.release();
            done = true;
        }
    }
}

__global__ void scatterHits(const Hit* __restrict__ hits, int n, VoxelGrid g)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const Hit h = hits[i];
        const int v = g.find(h);
        if (v >= 0)
            keepStrongest(g, v, h.energy, i);
    }
}

__global__ void resetGrid(VoxelGrid g, int cells)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < cells) {
        g.lock[c] = 0;
        g.energy[c] = -1.0f;
        g.hitIndex[c] = -1;
    }
}

cudaError_t strongestHits(const Hit* hits, int n, VoxelGrid g, cudaStream_t s)
{
    const int cells = g.dims.x * g.dims.y * g.dims.z;
    if (cells <= 0)
        return cudaErrorInvalidValue;
    const int block = 256;
    resetGrid<<<(cells + block - 1) / block, block, 0, s>>>(g, cells);
    cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess || n <= 0)
        return e;
    const int grid = std::min((n + block - 1) / block, 1024);
    scatterHits<<<grid, block, 0, s>>>(hits, n, g);
    return cudaGetLastError();
}

} // namespace photon
