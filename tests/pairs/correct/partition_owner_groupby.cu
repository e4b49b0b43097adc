// GROUP BY with partition ownership: thread p alone handles the keys with hash(key) % P == p.
#include <cuda_runtime.h>
#include <climits>
#include <cstdint>
#include <cstdio>

#define PARTITIONS 128
#define SLOTS      64          // groups per partition

struct Group {
    int key;
    int count;
    int min_val, max_val;
    long long sum;
};

__host__ __device__ static inline uint32_t scramble(int key)
{
    uint32_t h = (uint32_t)key * 0xcc9e2d51u;
    h = (h << 15) | (h >> 17);
    return h * 0x1b873593u;
}

__device__ Group *locate(Group *part, int key, uint32_t h)
{
    uint32_t s = (h / PARTITIONS) % SLOTS;
    for (int probe = 0; probe < SLOTS; ++probe) {
        Group *g = part + s;
        if (g->count == 0) {
            g->key = key;
            g->min_val = INT_MAX;
            g->max_val = INT_MIN;
            g->sum = 0;
            return g;
        }
        if (g->key == key)
            return g;
        s = (s + 1) % SLOTS;
    }
    return nullptr;
}

// tables: one block of PARTITIONS * SLOTS groups per thread block, cleared
__global__ void __launch_bounds__(PARTITIONS) aggregate(const int *__restrict__ key, const int *__restrict__ val, int n,
                                                        Group *tables, int *failed)
{
    __shared__ int k[PARTITIONS], v[PARTITIONS];
    Group *mine = tables + ((size_t)blockIdx.x * PARTITIONS + threadIdx.x) * SLOTS;
    for (int base = blockIdx.x * PARTITIONS; base < n; base += gridDim.x * PARTITIONS) {
        const int m = min(PARTITIONS, n - base);
        if (threadIdx.x < m) {
            k[threadIdx.x] = key[base + threadIdx.x];
            v[threadIdx.x] = val[base + threadIdx.x];
        }
        __syncthreads();
        for (int i = 0; i < m; ++i) {
            const uint32_t h = scramble(k[i]);
            if (h % PARTITIONS != threadIdx.x)
                continue;
            Group *g = locate(mine, k[i], h);
            if (!g) {
                atomicAdd(failed, 1);
                continue;
            }
            g->count++;
            g->sum += v[i];
            g->min_val = min(g->min_val, v[i]);
            g->max_val = max(g->max_val, v[i]);
        }
        __syncthreads();
    }
}

int group_by(const int *d_key, const int *d_val, int n, Group *d_tables, int blocks, int *d_failed)
{
    int failed = 0;
    cudaMemset(d_tables, 0, sizeof(Group) * (size_t)blocks * PARTITIONS * SLOTS);
    cudaMemset(d_failed, 0, sizeof(int));
    aggregate<<<blocks, PARTITIONS>>>(d_key, d_val, n, d_tables, d_failed);
    cudaMemcpy(&failed, d_failed, sizeof(int), cudaMemcpyDeviceToHost);
    if (failed)
        fprintf(stderr, "group_by: %d rows did not fit, use the sort path\n", failed);
    return failed;
}
