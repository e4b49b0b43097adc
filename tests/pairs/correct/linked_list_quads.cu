// Bucket chains whose links hold four entries each.
#include <cuda_runtime.h>
#include <cstdint>

struct alignas(16) Link {
    uint32_t key[4];
    float value[4];
    int next;  // -1 ends the chain
    int used;  // entries 0 .. used-1 are valid
};

struct ChainTable {
    const Link *links;
    const int *heads;
    uint32_t buckets;
};

struct QuadLane {
    int sub;
    int base;
    unsigned mask;
    __device__ QuadLane()
        : sub(threadIdx.x & 3), base(threadIdx.x & 28), mask(0xfu << (threadIdx.x & 28))
    {
    }
    __device__ unsigned ballot(bool p) const { return (__ballot_sync(mask, p) >> base) & 0xf; }
};

__device__ bool chain_find(const ChainTable &table, const QuadLane &quad, uint32_t key,
                           float *value)
{
    int at = table.heads[key % table.buckets];
    while (at >= 0) {
        const Link &link = table.links[at];
        const bool mine = quad.sub < link.used && link.key[quad.sub] == key;
        const unsigned hit = quad.ballot(mine);
        if (hit) {
            *value = link.value[__ffs(hit) - 1];
            return true;
        }
        at = link.next;
    }
    return false;
}

__global__ void gather(ChainTable table, const uint32_t *keys, int n, float missing, float *out,
                       unsigned *misses)
{
    const QuadLane quad;
    const int quads = gridDim.x * blockDim.x / 4;
    unsigned lost = 0;
    for (int q = (blockIdx.x * blockDim.x + threadIdx.x) / 4; q < n; q += quads) {
        float v = missing;
        const bool ok = chain_find(table, quad, keys[q], &v);
        if (quad.sub == 0)
            out[q] = v;
        lost += !ok;
    }
    if (quad.sub == 0 && lost)
        atomicAdd(misses, lost);
}

cudaError_t gather_values(const ChainTable &table, const uint32_t *keys, int n, float missing,
                          float *out, unsigned *misses, cudaStream_t stream)
{
    if (n < 0 || n > (1 << 28) || table.buckets == 0)
        return cudaErrorInvalidValue;
    cudaError_t e = cudaMemsetAsync(misses, 0, sizeof(unsigned), stream);
    if (e != cudaSuccess || n == 0)
        return e;
    const int grid = (n + 31) / 32 < 1024 ? (n + 31) / 32 : 1024;
    gather<<<grid, 128, 0, stream>>>(table, keys, n, missing, out, misses);
    return cudaGetLastError();
}
