#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <stdexcept>

namespace cg = cooperative_groups;

struct BfsGraph {
    int vertices;
    const int *offsets;
    const int *targets;
};

struct BfsWork {
    int *level;      // per vertex, -1: not reached
    int *queue[2];   // room for all vertices each
    int *count;      // three counters
};

__global__ void bfs_init(BfsGraph g, BfsWork w, int root)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < g.vertices)
        w.level[v] = v == root ? 0 : -1;
    if (v == 0) {
        w.queue[0][0] = root;
        w.count[0] = 1;
        w.count[1] = 0;
        w.count[2] = 0;
    }
}

__global__ void __launch_bounds__(256) bfs(BfsGraph g, BfsWork w, int *depth)
{
    cg::grid_group grid = cg::this_grid();
    const int lane = threadIdx.x & 31;
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    const int warps = (gridDim.x * blockDim.x) >> 5;

    int level = 0;
    for (;; ++level) {
        const int size = w.count[level % 3];
        if (size == 0)
            break;
        const int *current = w.queue[level & 1];
        int *next = w.queue[(level + 1) & 1];
        int *next_count = &w.count[(level + 1) % 3];
        if (grid.thread_rank() == 0)
            w.count[(level + 2) % 3] = 0;

        for (int q = warp; q < size; q += warps) {
            const int u = current[q];
            const int end = g.offsets[u + 1];
            for (int k = g.offsets[u] + lane; k < end; k += 32) {
                const int v = g.targets[k];
                if (atomicCAS(&w.level[v], -1, level + 1) == -1)
                    next[atomicAdd(next_count, 1)] = v;
            }
        }
        grid.sync();
    }
    if (grid.thread_rank() == 0)
        *depth = level;
}

void run_bfs(BfsGraph g, BfsWork w, int root, int *depth, cudaStream_t s)
{
    if (g.vertices < 1 || root < 0 || root >= g.vertices || g.vertices > (1 << 28))
        throw std::invalid_argument("run_bfs");
    bfs_init<<<(g.vertices + 255) / 256, 256, 0, s>>>(g, w, root);
    int dev, sms, per_sm;
    if (cudaGetDevice(&dev) != cudaSuccess ||
        cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev) != cudaSuccess ||
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, bfs, 256, 0) != cudaSuccess)
        throw std::runtime_error("run_bfs: device");
    void *args[] = {&g, &w, &depth};
    if (cudaLaunchCooperativeKernel(bfs, dim3(sms * per_sm), dim3(256), args, 0, s) != cudaSuccess)
        throw std::runtime_error("run_bfs: launch");
}
