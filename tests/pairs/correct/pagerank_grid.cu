#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <algorithm>
#include <stdexcept>

namespace cg = cooperative_groups;

struct Web {
    int pages;
    const int *in_offsets;
    const int *in_sources;
    const int *out_degree;
};

struct RankState {
    float *rank[2];    // both of `pages` entries; rank[0] holds the start
    float *dangling;   // three slots, zeroed by the host
    float *change;     // three slots, zeroed by the host
    int *iterations;
};

__device__ void add_block(float v, float *target)
{
    for (int d = 16; d; d /= 2)
        v += __shfl_down_sync(0xffffffffu, v, d);
    if ((threadIdx.x & 31) == 0 && v != 0.0f)
        atomicAdd(target, v);
}

__global__ void __launch_bounds__(256)
pagerank(Web web, RankState st, float damping, float tol, int max_iter)
{
    cg::grid_group grid = cg::this_grid();
    const int stride = gridDim.x * blockDim.x;
    const int first = blockIdx.x * blockDim.x + threadIdx.x;

    // mass of the pages without links under the start distribution
    float lost = 0.0f;
    for (int p = first; p < web.pages; p += stride)
        lost += web.out_degree[p] == 0 ? st.rank[0][p] : 0.0f;
    add_block(lost, &st.dangling[0]);
    grid.sync();

    int it = 0;
    for (; it < max_iter; ++it) {
        const float *old = st.rank[it & 1];
        float *now = st.rank[(it + 1) & 1];
        const float base =
            (1.0f - damping + damping * st.dangling[it % 3]) / web.pages;
        if (first == 0) {
            st.dangling[(it + 2) % 3] = 0.0f;
            st.change[(it + 1) % 3] = 0.0f;
        }

        float next_lost = 0.0f, diff = 0.0f;
        for (int p = first; p < web.pages; p += stride) {
            float s = 0.0f;
            for (int k = web.in_offsets[p]; k < web.in_offsets[p + 1]; ++k) {
                const int q = web.in_sources[k];
                s += old[q] / web.out_degree[q];
            }
            const float r = base + damping * s;
            diff += fabsf(r - old[p]);
            if (web.out_degree[p] == 0)
                next_lost += r;
            now[p] = r;
        }
        __syncwarp();
        add_block(next_lost, &st.dangling[(it + 1) % 3]);
        add_block(diff, &st.change[it % 3]);
        grid.sync();
        if (st.change[it % 3] < tol) {
            ++it;
            break;
        }
    }
    if (first == 0)
        *st.iterations = it;  // the result is in rank[it & 1]
}

void run_pagerank(Web web, RankState st, float damping, float tol, int max_iter, cudaStream_t s)
{
    if (web.pages < 1 || web.pages > (1 << 28) || max_iter < 1 || damping <= 0 || damping >= 1)
        throw std::invalid_argument("run_pagerank");
    int dev = 0, sms = 0, per_sm = 0;
    cudaGetDevice(&dev);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, pagerank, 256, 0);
    const int grid = std::min(sms * per_sm, (web.pages + 255) / 256);
    cudaMemsetAsync(st.dangling, 0, 3 * sizeof(float), s);
    cudaMemsetAsync(st.change, 0, 3 * sizeof(float), s);
    void *args[] = {&web, &st, &damping, &tol, &max_iter};
    if (cudaLaunchCooperativeKernel(pagerank, dim3(grid), dim3(256), args, 0, s) != cudaSuccess)
        throw std::runtime_error("run_pagerank: launch");
}
