// Cooperative probing: a tile of 16 lanes inspects a bucket of 16 slots; the first
// free slot is claimed with a CAS by its lane, and lost races are retried.
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cstdint>
#include <stdexcept>

namespace cg = cooperative_groups;
using Key = unsigned long long;
constexpr Key FREE = ~0ull;
constexpr int BUCKET = 16;

__device__ __forceinline__ uint64_t mix(uint64_t x)
{
    x ^= x >> 33; x *= 0xff51afd7ed558ccdull; x ^= x >> 33; x *= 0xc4ceb9fe1a85ec53ull; return x ^ (x >> 33);
}

__global__ void clearTable(Key* table, size_t slots)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < slots; i += (size_t)gridDim.x * blockDim.x) table[i] = FREE;
}

__global__ void __launch_bounds__(128)
insertKeys(Key* table, unsigned buckets, const uint32_t* __restrict__ keys, int n, int* inserted, int* failed)
{
    const auto g = cg::tiled_partition<BUCKET>(cg::this_thread_block());
    const int tiles = gridDim.x * (blockDim.x / BUCKET);
    for (int i = blockIdx.x * (blockDim.x / BUCKET) + g.meta_group_rank(); i < n; i += tiles) {
        const Key key = keys[i];
        unsigned b = mix(key) % buckets;
        bool done = false;
        for (unsigned probe = 0; probe < buckets && !done; ++probe) {
            Key* slot = &table[(size_t)b * BUCKET + g.thread_rank()];
            Key seen = cuda::atomic_ref<Key, cuda::thread_scope_device>(*slot).load(cuda::memory_order_relaxed);
            if (g.any(seen == key)) { done = true; break; }
            unsigned empty = g.ballot(seen == FREE);
            while (empty) {
                const unsigned leader = __ffs(empty) - 1;
                int ok = 0;
                if (g.thread_rank() == leader) {
                    seen = atomicCAS(slot, FREE, key);
                    ok = seen == FREE ? 1 : seen == key ? 2 : 0;
                    if (ok == 1) atomicAdd(inserted, 1);
                }
                ok = g.shfl(ok, leader);
                if (ok) { done = true; break; }
                empty &= empty - 1;
            }
            b = b + 1 == buckets ? 0 : b + 1;
        }
        if (!done && g.thread_rank() == 0) atomicAdd(failed, 1);
    }
}

void buildSet(Key* table, unsigned buckets, const uint32_t* keys, int n, int* inserted, int* failed, cudaStream_t s)
{
    if (buckets == 0 || buckets > (1u << 26)) throw std::invalid_argument("buckets");
    cudaMemsetAsync(inserted, 0, sizeof(int), s);
    cudaMemsetAsync(failed, 0, sizeof(int), s);
    clearTable<<<256, 256, 0, s>>>(table, (size_t)buckets * BUCKET);
    if (n <= 0 || n > (1 << 28)) return;
    int grid = (n + 7) / 8;
    if (grid > 2048) grid = 2048;
    insertKeys<<<grid, 128, 0, s>>>(table, buckets, keys, n, inserted, failed);
}
