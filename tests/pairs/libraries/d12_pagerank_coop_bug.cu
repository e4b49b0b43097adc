// PageRank as one cooperative launch, pull formulation over the transposed CSR.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>

#include <cstdio>

namespace cg = cooperative_groups;

namespace rank {

// residual accumulators, used in turn by the iterations
constexpr int kSlots = 2;

struct Graph {
    const int* in_ptr;
    const int* in_src;
    const float* inv_out_degree;  // 0 for sinks
    int n;
};

struct Work {
    float* rank[2];
    float* residual;  // [kSlots], zero at launch
    float damping, tolerance;
    int max_iter;
    int* iterations;
};

template <int LANES>
__device__ float pull(const Graph& g, const float* r, int v, const cg::thread_block_tile<LANES>& tile)
{
    float s = 0.f;
    for (int e = g.in_ptr[v] + tile.thread_rank(); e < g.in_ptr[v + 1]; e += LANES) {
        const int u = g.in_src[e];
        s += __ldcg(r + u) * g.inv_out_degree[u];
    }
    return cg::reduce(tile, s, cg::plus<float>());
}

__device__ void accumulate(float* total, float v)
{
    __shared__ float s_warp[32];
    const auto block = cg::this_thread_block();
    const auto warp = cg::tiled_partition<32>(block);
    v = cg::reduce(warp, v, cg::plus<float>());
    block.sync();
    if (warp.thread_rank() == 0) s_warp[warp.meta_group_rank()] = v;
    block.sync();
    if (warp.meta_group_rank() == 0) {
        v = warp.thread_rank() < warp.meta_group_size() ? s_warp[warp.thread_rank()] : 0.f;
        v = cg::reduce(warp, v, cg::plus<float>());
        if (warp.thread_rank() == 0) atomicAdd(total, v);
    }
}

template <int LANES>
__global__ void __launch_bounds__(256) pagerank_kernel(Graph g, Work w)
{
    const auto grid = cg::this_grid();
    const auto tile = cg::tiled_partition<LANES>(cg::this_thread_block());
    const int tiles = gridDim.x * (blockDim.x / LANES);
    const int first = blockIdx.x * (blockDim.x / LANES) + tile.meta_group_rank();

    int it = 0;
    for (; it < w.max_iter; ++it) {
        const float* cur = w.rank[it & 1];
        float* next = w.rank[(it + 1) & 1];
        float* residual = w.residual + it % kSlots;
        if (grid.thread_rank() == 0) w.residual[(it + 1) % kSlots] = 0.f;

        float diff = 0.f;
        for (int v = first; v < g.n; v += tiles) {
            const float r = (1.f - w.damping) / g.n + w.damping * pull<LANES>(g, cur, v, tile);
            if (tile.thread_rank() == 0) {
                next[v] = r;
                diff += fabsf(r - __ldcg(cur + v));
            }
        }
        accumulate(residual, diff);
        grid.sync();
        if (__ldcg(residual) < w.tolerance) break;
    }
    if (grid.thread_rank() == 0) *w.iterations = it < w.max_iter ? it + 1 : it;
}

__global__ void fill(float* p, int n, float v)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = v;
}

template <int LANES>
static cudaError_t launch(Graph g, Work w, cudaStream_t s)
{
    int dev = 0, sms = 0, per = 0;
    cudaGetDevice(&dev);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per, pagerank_kernel<LANES>, 256, 0);
    void* args[] = {&g, &w};
    return cudaLaunchCooperativeKernel((const void*)pagerank_kernel<LANES>, dim3(sms * per), dim3(256), args, 0, s);
}

// the result is in rank[iterations & 1]
cudaError_t pagerank(Graph g, long long edges, float* rank0, float* rank1, float damping, float tol, int max_iter,
                     int* d_iterations, cudaStream_t s)
{
    if (g.n == 0) return cudaSuccess;
    Work w = {{rank0, rank1}, nullptr, damping, tol, max_iter, d_iterations};
    cudaError_t e = cudaMallocAsync((void**)&w.residual, kSlots * sizeof(float), s);
    if (e != cudaSuccess) return e;
    cudaMemsetAsync(w.residual, 0, kSlots * sizeof(float), s);
    fill<<<(g.n + 255) / 256, 256, 0, s>>>(rank0, g.n, 1.f / g.n);
    const long long degree = edges / g.n;
    e = degree < 6 ? launch<4>(g, w, s) : degree < 24 ? launch<16>(g, w, s) : launch<32>(g, w, s);
    if (e != cudaSuccess) fprintf(stderr, "pagerank: %s\n", cudaGetErrorString(e));
    cudaFreeAsync(w.residual, s);
    return e;
}

}  // namespace rank
