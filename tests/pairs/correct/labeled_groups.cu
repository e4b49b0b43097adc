#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>
#include <algorithm>

namespace cg = cooperative_groups;

struct Tally {
    float energy;
    unsigned hits;
};

// Deposits per material: the lanes of a warp with the same material act as one group.
__global__ void deposit(const int *material, const float *energy, int n, int materials,
                        Tally *tally)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const int start = blockIdx.x * blockDim.x + warp.meta_group_rank() * 32;
    for (int base = start; base < n; base += gridDim.x * blockDim.x) {
        const int i = base + static_cast<int>(warp.thread_rank());
        int label = -1;
        float e = 0.0f;
        if (i < n) {
            label = material[i];
            e = energy[i];
            if (label < 0 || label >= materials)
                label = -1;
        }
        auto same = cg::labeled_partition(warp, label);
        if (label >= 0) {
            const float sum = cg::reduce(same, e, cg::plus<float>());
            if (same.thread_rank() == 0) {
                atomicAdd(&tally[label].energy, sum);
                atomicAdd(&tally[label].hits, static_cast<unsigned>(same.size()));
            }
        }
        warp.sync();
    }
}

cudaError_t deposit_energy(const int *material, const float *energy, int n, int materials,
                           Tally *tally, cudaStream_t stream)
{
    if (n < 0 || n > (1 << 30) || materials < 1 || !tally)
        return cudaErrorInvalidValue;
    cudaError_t err = cudaMemsetAsync(tally, 0, materials * sizeof(Tally), stream);
    if (err != cudaSuccess || n == 0)
        return err;
    constexpr int block = 256;
    const int grid = std::min((n + block - 1) / block, 2048);
    deposit<<<grid, block, 0, stream>>>(material, energy, n, materials, tally);
    return cudaGetLastError();
}
