// Median of 8 samples per pixel, odd-even transposition sort in tiles of 8 lanes.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;
using Tile8 = cg::thread_block_tile<8>;

__device__ float odd_even_sort(const Tile8& t, float v)
{
    const int r = t.thread_rank();
    for (int phase = 0; phase < 8; ++phase) {
        int partner;
        if ((phase & 1) == 0) partner = r ^ 1;
        else                  partner = (r & 1) ? r + 1 : r - 1;
        const bool has = partner >= 0 && partner < 8;
        const float o = t.shfl(v, has ? partner : r);
        if (has) v = (r < partner) ? fminf(v, o) : fmaxf(v, o);
    }
    return v;
}

__global__ void temporal_median(const float* const* __restrict__ frames, float* __restrict__ out,
                                int npix)
{
    const auto block = cg::this_thread_block();
    const Tile8 tile = cg::tiled_partition<8>(block);

    const int tiles_per_block = blockDim.x / 8;
    const int stride = gridDim.x * tiles_per_block;
    const float* mine = frames[tile.thread_rank()];

    for (int p = blockIdx.x * tiles_per_block + tile.meta_group_rank(); p < npix; p += stride) {
        const float v = odd_even_sort(tile, mine[p]);
        const float a = tile.shfl(v, 3);
        const float b = tile.shfl(v, 4);
        if (tile.thread_rank() == 0) out[p] = 0.5f * (a + b);
    }
}

cudaError_t median_of_eight(const float* const* d_frames, float* d_out, int npix, cudaStream_t s)
{
    if (npix <= 0) return cudaErrorInvalidValue;
    const int threads = 256;
    const int per_block = threads / 8;
    int blocks = (npix + per_block - 1) / per_block;
    if (blocks > 4096) blocks = 4096;
    temporal_median<<<blocks, threads, 0, s>>>(d_frames, d_out, npix);
    return cudaPeekAtLastError();
}
