// Read-only cuckoo-free bucket probe: 16 lanes look at one bucket together.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

struct Table {
    const unsigned* keys;      // nbuckets * 16, 0xffffffff = empty
    const unsigned* vals;
    unsigned nbuckets;         // power of two
};

__device__ inline unsigned mix(unsigned h)
{
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    return h ^ (h >> 16);
}

__device__ unsigned probe(const cg::thread_block_tile<16>& g, const Table& t, unsigned key)
{
    constexpr unsigned kEmpty = 0xffffffffu;
    unsigned b = mix(key) & (t.nbuckets - 1);
    for (unsigned step = 0; step < t.nbuckets; ++step) {
        const unsigned slot = b * 16 + g.thread_rank();
        const unsigned k = t.keys[slot];
        const unsigned hit = g.ballot(k == key);
        if (hit) {
            const int who = __ffs(hit) - 1;
            unsigned v = 0;
            if (g.thread_rank() == static_cast<unsigned>(who)) v = t.vals[slot];
            return g.shfl(v, who);
        }
        if (g.any(k == kEmpty)) break;
        b = (b + 1) & (t.nbuckets - 1);
    }
    return kEmpty;
}

__global__ void lookup(Table t, const unsigned* __restrict__ q, unsigned* __restrict__ r, int n)
{
    const cg::thread_block_tile<16> g = cg::tiled_partition<16>(cg::this_thread_block());
    const int tiles = gridDim.x * (blockDim.x / 16);
    const int first = blockIdx.x * (blockDim.x / 16) + threadIdx.x / 16;

    for (int base = first * 16; base < n; base += tiles * 16) {
        // Each lane brings a query; the tile answers them one at a time.
        const int mine = base + g.thread_rank();
        const unsigned key = mine < n ? q[mine] : 0u;
        const int cnt = n - base < 16 ? n - base : 16;
        unsigned answer = 0;
        for (int j = 0; j < cnt; ++j) {
            const unsigned a = probe(g, t, g.shfl(key, j));
            if (static_cast<int>(g.thread_rank()) == j) answer = a;
        }
        if (mine < n) r[mine] = answer;
    }
}

cudaError_t table_lookup(const Table& t, const unsigned* q, unsigned* r, int n, cudaStream_t s)
{
    if (t.nbuckets == 0 || (t.nbuckets & (t.nbuckets - 1))) return cudaErrorInvalidValue;
    if (n <= 0) return cudaSuccess;
    int blocks = (n + 127) / 128;
    if (blocks > 2048) blocks = 2048;
    lookup<<<blocks, 128, 0, s>>>(t, q, r, n);
    return cudaGetLastError();
}
