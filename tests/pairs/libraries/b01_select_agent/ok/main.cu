#include "part.cuh"

#include <algorithm>
#include <cstdint>

namespace dev {

template <typename T> struct GreaterThan {
    T limit;
    __device__ bool operator()(T v) const { return v > limit; }
};

template <typename Policy, typename KeyT, typename Pred>
__global__ void __launch_bounds__(Policy::BLOCK_THREADS)
SelectKernel(const KeyT* in, KeyT* out, KeyT* tile_max, int* block_count, int n, int tiles_per_block, Pred pred)
{
    using Agent = AgentSelect<Policy, KeyT, Pred>;
    __shared__ typename Agent::TempStorage temp;
    const int tiles = (n + Policy::TILE - 1) / Policy::TILE;
    const int t0 = blockIdx.x * tiles_per_block;
    const int t1 = min(t0 + tiles_per_block, tiles);
    Agent agent{temp, pred, in, out, tile_max, n};
    const int count = agent.ConsumeRange(t0, t1);
    if (threadIdx.x == 0) block_count[blockIdx.x] = count;
}

template <typename Policy, typename KeyT, typename Pred>
cudaError_t Launch(const KeyT* in, KeyT* out, KeyT* tile_max, int* counts, int n, Pred pred, cudaStream_t s)
{
    const int tiles = (n + Policy::TILE - 1) / Policy::TILE;
    const int per = std::max(1, (tiles + 255) / 256);
    const int blocks = (tiles + per - 1) / per;
    if (blocks == 0) return cudaSuccess;
    SelectKernel<Policy, KeyT, Pred><<<blocks, Policy::BLOCK_THREADS, 0, s>>>(in, out, tile_max, counts, n, per, pred);
    return cudaPeekAtLastError();
}

template <typename KeyT>
cudaError_t SelectAbove(const KeyT* in, KeyT* out, KeyT* tile_max, int* counts, int n, KeyT limit, cudaStream_t s)
{
    GreaterThan<KeyT> p{limit};
    if (n < (1 << 16)) return Launch<SelectPolicy<128, 4>>(in, out, tile_max, counts, n, p, s);
    if (sizeof(KeyT) == 8) return Launch<SelectPolicy<128, 7>>(in, out, tile_max, counts, n, p, s);
    return Launch<SelectPolicy<256, 11>>(in, out, tile_max, counts, n, p, s);
}

template cudaError_t SelectAbove<float>(const float*, float*, float*, int*, int, float, cudaStream_t);
template cudaError_t SelectAbove<int64_t>(const int64_t*, int64_t*, int64_t*, int*, int, int64_t, cudaStream_t);

}  // namespace dev
