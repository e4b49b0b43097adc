// Level-synchronous BFS in one cooperative launch; three rotating frontier counters
// make the reset safe with a single grid barrier per level.
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <stdexcept>

namespace cg = cooperative_groups;

struct Graph { const int* ptr; const int* col; int n; };

__global__ void __launch_bounds__(256)
bfs(Graph g, int src, int* level, int* q0, int* q1, int* counters /* [3] */)
{
    cg::grid_group grid = cg::this_grid();
    const int tid = (int)grid.thread_rank();
    const int stride = (int)grid.size();
    for (int i = tid; i < g.n; i += stride) level[i] = i == src ? 0 : -1;
    if (tid == 0) {
        q0[0] = src;
        counters[0] = 1;
        counters[1] = 0;
        counters[2] = 0;
    }
    grid.sync();

    int* cur = q0;
    int* nxt = q1;
    for (int d = 0;; ++d) {
        const int len = counters[d % 3];        // complete: last incremented before the barrier
        if (len == 0) break;
        // used by level d - 1, next used by level d + 1's appends
        if (tid == 0) counters[(d + 2) % 3] = 0;
        for (int k = tid; k < len; k += stride) {
            const int v = cur[k];
            for (int e = g.ptr[v]; e < g.ptr[v + 1]; ++e) {
                const int u = g.col[e];
                if (atomicCAS(&level[u], -1, d + 1) == -1)
                    nxt[atomicAdd(&counters[(d + 1) % 3], 1)] = u;
            }
        }
        grid.sync();
        int* t = cur; cur = nxt; nxt = t;
    }
}

void runBfs(Graph g, int src, int* level, int* q0, int* q1, int* counters, cudaStream_t s)
{
    if (g.n <= 0 || src < 0 || src >= g.n || q0 == q1) throw std::out_of_range("bfs");
    int dev = 0, sms = 0, per = 0, coop = 0;
    cudaGetDevice(&dev);
    cudaDeviceGetAttribute(&coop, cudaDevAttrCooperativeLaunch, dev);
    if (!coop) throw std::runtime_error("no cooperative launch");
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per, bfs, 256, 0);
    void* args[] = {&g, &src, &level, &q0, &q1, &counters};
    if (cudaLaunchCooperativeKernel((const void*)bfs, dim3(sms * per), dim3(256), args, 0, s) != cudaSuccess)
        throw std::runtime_error("launch");
}
