// Dynamic voxelisation of a lidar sweep with an open-addressing hash table.
#include <cuda_runtime.h>

#include <cstdint>
#include <stdexcept>

namespace voxel {

constexpr unsigned long long kEmpty = ~0ull;

struct GridSpec {
    float lo[3], size[3];
    int dim[3];
    int max_voxels, max_points;
};

struct HashTable {
    unsigned long long* key;
    int* voxel;
    unsigned mask;

    static __device__ __forceinline__ unsigned mix(unsigned long long k)
    {
        k ^= k >> 33;
        k *= 0xff51afd7ed558ccdull;
        k ^= k >> 33;
        return (unsigned)k;
    }

    // number of the voxel with this key, allocated on first use
    __device__ int find_or_insert(unsigned long long k, int* counter) const
    {
        unsigned slot = mix(k) & mask;
        for (;;) {
            const unsigned long long prev = atomicCAS(&key[slot], kEmpty, k);
            if (prev == kEmpty) {
                const int id = atomicAdd(counter, 1);
                atomicExch(&voxel[slot], id);
                return id;
            }
            if (prev == k) {
                return atomicAdd(&voxel[slot], 0);
            }
            slot = (slot + 1) & mask;
        }
    }
};

__device__ __forceinline__ bool cell_of(const GridSpec& g, const float* p, int (&c)[3])
{
#pragma unroll
    for (int d = 0; d < 3; ++d) {
        c[d] = (int)floorf((p[d] - g.lo[d]) / g.size[d]);
        if (c[d] < 0 || c[d] >= g.dim[d]) return false;
    }
    return true;
}

template <int FEATURES>
__global__ void scatter_points(const float* __restrict__ points, int n, GridSpec g, HashTable table, int* counter,
                               int* fill, float* voxels, int* coords)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const float* p = points + (size_t)i * FEATURES;
        int c[3];
        if (!cell_of(g, p, c)) continue;
        const unsigned long long k = ((unsigned long long)c[2] * g.dim[1] + c[1]) * g.dim[0] + c[0];
        const int v = table.find_or_insert(k, counter);
        if (v < 0 || v >= g.max_voxels) continue;
        const int slot = atomicAdd(fill + v, 1);
        if (slot == 0)
            for (int d = 0; d < 3; ++d) coords[v * 3 + d] = c[2 - d];
        if (slot < g.max_points) {
            float* dst = voxels + ((size_t)v * g.max_points + slot) * FEATURES;
            for (int f = 0; f < FEATURES; ++f) dst[f] = p[f];
        }
    }
}

__global__ void clamp_counts(int* fill, int* counter, int max_voxels, int max_points)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < max_voxels) fill[v] = min(fill[v], max_points);
    if (v == 0) *counter = min(*counter, max_voxels);
}

class Voxelizer {
public:
    Voxelizer(const GridSpec& g, int max_input) : g_(g)
    {
        unsigned cap = 1024;
        while (cap < 2u * (unsigned)max_input) cap *= 2;
        table_.mask = cap - 1;
        if (cudaMalloc(&table_.key, cap * sizeof(unsigned long long)) != cudaSuccess ||
            cudaMalloc(&table_.voxel, cap * sizeof(int)) != cudaSuccess)
            throw std::bad_alloc();
        max_input_ = max_input;
    }
    ~Voxelizer()
    {
        cudaFree(table_.key);
        cudaFree(table_.voxel);
    }

    void run(const float* points, int n, int features, float* voxels, int* coords, int* fill, int* counter,
             cudaStream_t s)
    {
        if (n > max_input_) throw std::length_error("too many points");
        const size_t cap = (size_t)table_.mask + 1;
        cudaMemsetAsync(table_.key, 0xff, cap * sizeof(unsigned long long), s);
        cudaMemsetAsync(table_.voxel, 0xff, cap * sizeof(int), s);
        cudaMemsetAsync(fill, 0, g_.max_voxels * sizeof(int), s);
        cudaMemsetAsync(counter, 0, sizeof(int), s);
        if (n > 0) {
            const int blocks = (n + 255) / 256 < 2048 ? (n + 255) / 256 : 2048;
            if (features == 4)
                scatter_points<4><<<blocks, 256, 0, s>>>(points, n, g_, table_, counter, fill, voxels, coords);
            else if (features == 5)
                scatter_points<5><<<blocks, 256, 0, s>>>(points, n, g_, table_, counter, fill, voxels, coords);
            else
                throw std::invalid_argument("features");
        }
        clamp_counts<<<(g_.max_voxels + 255) / 256, 256, 0, s>>>(fill, counter, g_.max_voxels, g_.max_points);
        if (cudaGetLastError() != cudaSuccess) throw std::runtime_error("voxelize");
    }

private:
    GridSpec g_;
    HashTable table_;
    int max_input_;
};

}  // namespace voxel

void voxelize_sweep(voxel::Voxelizer& v, const float* pts, int n, float* out, int* coords, int* fill, int* count)
{
    v.run(pts, n, 4, out, coords, fill, count, 0);
}
