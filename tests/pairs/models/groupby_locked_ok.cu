// GROUP BY with wide accumulators (sum, min, max, first row, count) guarded by a lock per group.
#include <cuda_runtime.h>
#include <cfloat>
#include <climits>
#include <cstdint>

struct GroupState {
    int64_t key;
    double sum;
    double comp;     // Kahan compensation, so plain atomics are no use
    float min_v, max_v;
    int first_row;
    int count;
};

struct GroupTable {
    GroupState *groups;
    int *locks;
    int *used;        // 0 = free; set under the lock
    uint32_t capacity;  // power of two
};

static __device__ __forceinline__ bool try_lock(int *l)
{
    if (atomicCAS(l, 0, 1) != 0) return false;
    __threadfence();
    return true;
}

static __device__ __forceinline__ void unlock(int *l)
{
    __threadfence();
    atomicExch(l, 0);
}

static __device__ __forceinline__ uint32_t hash64(uint64_t k)
{
    k ^= k >> 33;
    k *= 0xff51afd7ed558ccdULL;
    k ^= k >> 33;
    return (uint32_t)k;
}

static __device__ void accumulate(GroupState *g, float v, int row)
{
    const double y = (double)v - g->comp;
    const double t = g->sum + y;
    g->comp = (t - g->sum) - y;
    g->sum = t;
    g->min_v = fminf(g->min_v, v);
    g->max_v = fmaxf(g->max_v, v);
    g->first_row = min(g->first_row, row);
    g->count += 1;
}

static __device__ void start_group(GroupState *g, int64_t key)
{
    g->key = key;
    g->sum = 0.0;
    g->comp = 0.0;
    g->min_v = FLT_MAX;
    g->max_v = -FLT_MAX;
    g->first_row = INT_MAX;
    g->count = 0;
}

enum SlotResult { SLOT_DONE, SLOT_OTHER, SLOT_BUSY };

static __device__ SlotResult update_slot(const GroupTable &t, uint32_t slot, int64_t key, float v, int row)
{
    if (!try_lock(&t.locks[slot])) return SLOT_BUSY;
    SlotResult r = SLOT_OTHER;
    GroupState *g = &t.groups[slot];
    if (t.used[slot] == 0) {
        start_group(g, key);
        t.used[slot] = 1;
    }
    if (g->key == key) {
        accumulate(g, v, row);
        r = SLOT_DONE;
    }
    unlock(&t.locks[slot]);
    return r;
}

__global__ void groupby_kernel(GroupTable t, const int64_t *keys, const float *vals, int n, int *overflow)
{
    const int stride = gridDim.x * blockDim.x;
    for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < n; row += stride) {
        const int64_t key = keys[row];
        const float v = vals[row];
        uint32_t slot = hash64((uint64_t)key) & (t.capacity - 1);
        uint32_t probes = 0;
        bool done = false;
        // the lock is never held across iterations: lanes of a warp may compete for it
        while (!done) {
            const SlotResult r = update_slot(t, slot, key, v, row);
            if (r == SLOT_DONE) {
                done = true;
            } else if (r == SLOT_OTHER) {
                slot = (slot + 1) & (t.capacity - 1);
                if (++probes == t.capacity) {
                    atomicExch(overflow, 1);
                    done = true;
                }
            }
        }
    }
}

__global__ void groupby_emit(GroupTable t, int64_t *out_key, double *out_sum, float *out_min, float *out_max,
                             int *out_count, int *num_groups)
{
    const uint32_t s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= t.capacity || t.used[s] == 0) return;
    const int o = atomicAdd(num_groups, 1);
    const GroupState &g = t.groups[s];
    out_key[o] = g.key;
    out_sum[o] = g.sum;
    out_min[o] = g.min_v;
    out_max[o] = g.max_v;
    out_count[o] = g.count;
}

int group_by(GroupTable t, const int64_t *keys, const float *vals, int n, int64_t *out_key, double *out_sum,
             float *out_min, float *out_max, int *out_count, int *num_groups, int *overflow, cudaStream_t st)
{
    if (t.capacity == 0 || (t.capacity & (t.capacity - 1)) || n < 0 || n > INT_MAX / 2) return -1;
    cudaMemsetAsync(t.locks, 0, t.capacity * sizeof(int), st);
    cudaMemsetAsync(t.used, 0, t.capacity * sizeof(int), st);
    cudaMemsetAsync(num_groups, 0, sizeof(int), st);
    cudaMemsetAsync(overflow, 0, sizeof(int), st);
    const int threads = 128;
    int blocks = (n + threads - 1) / threads;
    if (blocks > 1024) blocks = 1024;
    if (blocks > 0) groupby_kernel<<<blocks, threads, 0, st>>>(t, keys, vals, n, overflow);
    groupby_emit<<<(t.capacity + 255) / 256, 256, 0, st>>>(t, out_key, out_sum, out_min, out_max, out_count,
                                                           num_groups);
    return cudaGetLastError() == cudaSuccess ? 0 : -2;
}
