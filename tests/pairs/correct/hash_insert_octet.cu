// Set of 32-bit keys with open addressing; an octet probes a window of eight slots.
#include <cuda/atomic>
#include <cuda_runtime.h>
#include <cstdint>

constexpr uint32_t kEmpty = 0xffffffffu;
constexpr int kWindow = 8;

struct KeySet {
    uint32_t *slots;
    uint32_t windows;  // power of two
};

__device__ uint32_t mix(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

__device__ uint32_t load_slot(uint32_t *p)
{
    cuda::atomic_ref<uint32_t, cuda::thread_scope_device> ref(*p);
    return ref.load(cuda::memory_order_relaxed);
}

// 1: inserted, 0: was there, -1: full. Same result for all eight lanes.
__device__ int insert(KeySet set, uint32_t key)
{
    const int lane = threadIdx.x & 31;
    const int sub = lane & 7;
    const int base = lane & 24;
    const unsigned mask = 0xffu << base;

    uint32_t w = mix(key) & (set.windows - 1);
    for (uint32_t tries = 0; tries < set.windows;) {
        uint32_t *slot = set.slots + (size_t)w * kWindow + sub;
        const uint32_t seen = load_slot(slot);
        if (__any_sync(mask, seen == key))
            return 0;
        const unsigned free_slots = __ballot_sync(mask, seen == kEmpty);
        if (free_slots == 0) {
            w = (w + 1) & (set.windows - 1);
            ++tries;
            continue;
        }
        const int chosen = __ffs(free_slots) - 1;
        uint32_t old = 0;
        if (lane == chosen)
            old = atomicCAS(slot, kEmpty, key);
        old = __shfl_sync(mask, old, chosen & 7, 8);
        if (old == kEmpty)
            return 1;
        if (old == key)
            return 0;
        // another key took the slot: look at the same window again
    }
    return -1;
}

__global__ void insert_all(KeySet set, const uint32_t *keys, int n, int *fresh, int *failed)
{
    const int octet = (blockIdx.x * blockDim.x + threadIdx.x) / kWindow;
    if (octet >= n)
        return;
    const uint32_t key = keys[octet];
    if (key == kEmpty)
        return;
    const int r = insert(set, key);
    if ((threadIdx.x & 7) == 0) {
        if (r == 1)
            atomicAdd(fresh, 1);
        else if (r < 0)
            atomicAdd(failed, 1);
    }
}

cudaError_t build_set(KeySet set, const uint32_t *keys, int n, int *counts, cudaStream_t s)
{
    if (n < 0 || n > (1 << 27) || set.windows == 0 || (set.windows & (set.windows - 1)))
        return cudaErrorInvalidValue;
    cudaMemsetAsync(set.slots, 0xff, (size_t)set.windows * kWindow * sizeof(uint32_t), s);
    cudaMemsetAsync(counts, 0, 2 * sizeof(int), s);
    if (n > 0)
        insert_all<<<(n + 15) / 16, 128, 0, s>>>(set, keys, n, counts, counts + 1);
    return cudaGetLastError();
}
