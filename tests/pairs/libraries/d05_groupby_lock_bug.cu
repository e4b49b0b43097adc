// GROUP BY with count/sum/min/max per group in a global hash table.  The wide
// aggregate record is guarded by a lock per slot.
#include <cuda_runtime.h>

#include <cfloat>
#include <cstdint>
#include <cstdio>

namespace db {

enum LockState : int { kFree = 0, kHeld = 1 };

struct Aggregate {
    long long count;
    double sum, sum2;
    double min, max;
};

struct GroupTable {
    int64_t* key;      // kNoKey where unused
    int* lock;
    Aggregate* agg;
    uint32_t mask;
};

constexpr int64_t kNoKey = INT64_MIN;

__device__ __forceinline__ uint32_t hash64(uint64_t x)
{
    x ^= x >> 31;
    x *= 0x9e3779b97f4a7c15ull;
    x ^= x >> 29;
    return (uint32_t)x;
}

__device__ int find_slot(const GroupTable& t, int64_t k)
{
    uint32_t s = hash64((uint64_t)k) & t.mask;
    for (uint32_t probe = 0; probe <= t.mask; ++probe) {
        const int64_t prev = (int64_t)atomicCAS((unsigned long long*)&t.key[s], (unsigned long long)kNoKey,
                                                (unsigned long long)k);
        if (prev == kNoKey || prev == k) return (int)s;
        s = (s + 1) & t.mask;
    }
    return -1;
}

struct SlotLock {
    int* word;
    __device__ bool try_acquire() const
    {
        if (atomicCAS(word, kFree, kHeld) != kFree) return false;
        __threadfence();
        return true;
    }
    __device__ void release() const
    {
        atomicExch(word, kFree);
    }
};

__device__ __forceinline__ void merge(volatile Aggregate* a, const Aggregate& v)
{
    a->count = a->count + v.count;
    a->sum = a->sum + v.sum;
    a->sum2 = a->sum2 + v.sum2;
    a->min = fmin(a->min, v.min);
    a->max = fmax(a->max, v.max);
}

__device__ void update(const GroupTable& t, int slot, const Aggregate& v)
{
    const SlotLock lock{t.lock + slot};
    bool done = false;
    while (!done) {
        if (lock.try_acquire()) {
            merge(t.agg + slot, v);
            lock.release();
            done = true;
        }
    }
}

// runs of equal keys within a thread's slice are combined first
template <typename K, typename V>
__global__ void group_by(const K* __restrict__ keys, const V* __restrict__ vals, int n, int per_thread, GroupTable t,
                         int* overflow)
{
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * per_thread;
    const int last = min(first + per_thread, n);
    int i = first;
    while (i < last) {
        const int64_t k = keys[i];
        Aggregate run = {0, 0.0, 0.0, DBL_MAX, -DBL_MAX};
        for (; i < last && keys[i] == k; ++i) {
            const double v = vals[i];
            run.count += 1;
            run.sum += v;
            run.sum2 += v * v;
            run.min = fmin(run.min, v);
            run.max = fmax(run.max, v);
        }
        const int slot = find_slot(t, k);
        if (slot < 0) atomicExch(overflow, 1);
        else update(t, slot, run);
    }
}

__global__ void clear_table(GroupTable t)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > t.mask) return;
    t.key[i] = kNoKey;
    t.lock[i] = kFree;
    t.agg[i] = {0, 0.0, 0.0, DBL_MAX, -DBL_MAX};
}

template <typename K, typename V>
bool group_by_aggregate(const K* keys, const V* vals, int n, GroupTable t, int* d_overflow, cudaStream_t s)
{
    clear_table<<<t.mask / 256 + 1, 256, 0, s>>>(t);
    cudaMemsetAsync(d_overflow, 0, sizeof(int), s);
    if (n > 0) {
        const int per_thread = n > (1 << 22) ? 16 : 4;
        const int threads = (n + per_thread - 1) / per_thread;
        group_by<K, V><<<(threads + 127) / 128, 128, 0, s>>>(keys, vals, n, per_thread, t, d_overflow);
    }
    int h = 0;
    cudaMemcpyAsync(&h, d_overflow, sizeof(int), cudaMemcpyDeviceToHost, s);
    if (cudaStreamSynchronize(s) != cudaSuccess) {
        fprintf(stderr, "group_by: %s\n", cudaGetErrorString(cudaGetLastError()));
        return false;
    }
    return h == 0;
}

template bool group_by_aggregate<int32_t, float>(const int32_t*, const float*, int, GroupTable, int*, cudaStream_t);
template bool group_by_aggregate<int64_t, double>(const int64_t*, const double*, int, GroupTable, int*, cudaStream_t);

}  // namespace db
