// Triangle counting on an oriented graph: a tile of threads per vertex, its
// neighbour list is staged in shared memory and searched by the neighbours'.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>

#include <cstdio>

namespace cg = cooperative_groups;

namespace tri {

constexpr int kBlock = 128;

struct Oriented {
    const int* ptr;  // edges go from lower to higher degree, lists sorted
    const int* adj;
    int n;
};

template <int LANES>
struct Config {
    static constexpr int Groups = kBlock / LANES;
    static constexpr int Window = 4 * LANES;
};

template <int LANES>
struct Scratch {
    int list[Config<LANES>::Groups][Config<LANES>::Window];
};

__device__ __forceinline__ bool contains(const int* list, int n, int key)
{
    int lo = 0, hi = n;
    while (lo < hi) {
        const int m = (lo + hi) >> 1;
        if (list[m] < key) lo = m + 1;
        else hi = m;
    }
    return lo < n && list[lo] == key;
}

template <int LANES>
class VertexCounter {
    using Tile = cg::thread_block_tile<LANES>;
    static constexpr int W = Config<LANES>::Window;

public:
    __device__ VertexCounter(const Oriented& g, Scratch<LANES>& s, const Tile& t)
        : g_(g), tile_(t), list_(s.list[threadIdx.x / 32])
    {
    }

    __device__ unsigned long long operator()(int v)
    {
        unsigned long long found = 0;
        const int b = g_.ptr[v], e = g_.ptr[v + 1];
        for (int w0 = b; w0 < e; w0 += W) {
            const int n = min(W, e - w0);
            tile_.sync();
            for (int i = tile_.thread_rank(); i < n; i += LANES) list_[i] = g_.adj[w0 + i];
            tile_.sync();
            // every neighbour u of v offers its own list
            for (int k = b; k < e; ++k) {
                const int u = g_.adj[k];
                for (int i = g_.ptr[u] + tile_.thread_rank(); i < g_.ptr[u + 1]; i += LANES)
                    found += contains(list_, n, g_.adj[i]);
            }
        }
        return found;
    }

private:
    const Oriented& g_;
    const Tile& tile_;
    int* list_;
};

template <int LANES>
__global__ void __launch_bounds__(kBlock) count_triangles(Oriented g, int* next_vertex, unsigned long long* total)
{
    __shared__ Scratch<LANES> scratch;
    const auto tile = cg::tiled_partition<LANES>(cg::this_thread_block());
    VertexCounter<LANES> count(g, scratch, tile);

    unsigned long long mine = 0;
    for (;;) {
        int v = 0;
        if (tile.thread_rank() == 0) v = atomicAdd(next_vertex, 1);
        v = tile.shfl(v, 0);
        if (v >= g.n) break;
        mine += count(v);
    }
    mine = cg::reduce(tile, mine, cg::plus<unsigned long long>());
    if (tile.thread_rank() == 0 && mine) atomicAdd(total, mine);
}

template <int LANES>
static void launch(const Oriented& g, int* next, unsigned long long* total, cudaStream_t s)
{
    int dev = 0, sms = 0, per = 0;
    cudaGetDevice(&dev);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per, count_triangles<LANES>, kBlock, 0);
    count_triangles<LANES><<<sms * per, kBlock, 0, s>>>(g, next, total);
}

long long triangles(const Oriented& g, long long edges, cudaStream_t s)
{
    struct Ctl {
        unsigned long long total;
        int next;
    }* ctl = nullptr;
    if (g.n == 0) return 0;
    if (cudaMalloc(&ctl, sizeof(Ctl)) != cudaSuccess) return -1;
    cudaMemsetAsync(ctl, 0, sizeof(Ctl), s);
    const long long avg = edges / g.n;
    if (avg <= 8) launch<8>(g, &ctl->next, &ctl->total, s);
    else if (avg <= 24) launch<16>(g, &ctl->next, &ctl->total, s);
    else launch<32>(g, &ctl->next, &ctl->total, s);
    unsigned long long h = 0;
    cudaMemcpyAsync(&h, &ctl->total, sizeof(h), cudaMemcpyDeviceToHost, s);
    const cudaError_t e = cudaStreamSynchronize(s);
    cudaFree(ctl);
    if (e != cudaSuccess) {
        fprintf(stderr, "triangles: %s\n", cudaGetErrorString(e));
        return -1;
    }
    return (long long)h;
}

}  // namespace tri
