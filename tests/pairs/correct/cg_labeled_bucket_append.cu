// Append items to per-bucket lists. Lanes that target the same bucket reserve their
// slots together.
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <stdexcept>

namespace cg = cooperative_groups;

struct Buckets {
    int* count;
    int* items;
    int capacity;
    int num;

    __device__ bool append(const cg::coalesced_group& active, int b, int item) const
    {
        auto peers = cg::labeled_partition(active, b);
        int base = 0;
        if (peers.thread_rank() == 0) base = atomicAdd(&count[b], (int)peers.size());
        const int slot = peers.shfl(base, 0) + (int)peers.thread_rank();
        if (slot >= capacity) return false;
        items[(size_t)b * capacity + slot] = item;
        return true;
    }
};

__global__ void __launch_bounds__(256)
binPoints(const float2* __restrict__ p, int n, float inv, int dim, Buckets bk, int* __restrict__ dropped)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const int x = min(max((int)(p[i].x * inv), 0), dim - 1);
        const int y = min(max((int)(p[i].y * inv), 0), dim - 1);
        const auto active = cg::coalesced_threads();    // whoever is here
        if (!bk.append(active, y * dim + x, i)) atomicAdd(dropped, 1);
    }
}

void binAll(const float2* p, int n, float cell, int dim, Buckets bk, int* dropped, cudaStream_t s)
{
    if (dim < 1 || dim > 4096 || bk.num != dim * dim || bk.capacity < 1 || !(cell > 0.f))
        throw std::invalid_argument("binAll");
    cudaMemsetAsync(bk.count, 0, bk.num * sizeof(int), s);
    cudaMemsetAsync(dropped, 0, sizeof(int), s);
    if (n <= 0 || n > (1 << 30)) return;
    int grid = (n + 255) / 256;
    if (grid > 512) grid = 512;
    binPoints<<<grid, 256, 0, s>>>(p, n, 1.f / cell, dim, bk, dropped);
}

int main()
{
    float2* p; int* d; Buckets b{nullptr, nullptr, 64, 64 * 64};
    cudaMalloc(&p, 10000 * sizeof(float2));
    cudaMalloc(&d, 4);
    cudaMalloc(&b.count, b.num * 4);
    cudaMalloc(&b.items, (size_t)b.num * b.capacity * 4);
    cudaMemset(p, 0, 10000 * sizeof(float2));
    binAll(p, 10000, 1.f, 64, b, d, 0);
    cudaDeviceSynchronize();
    cudaFree(p); cudaFree(d); cudaFree(b.count); cudaFree(b.items);
    return 0;
}
