// Chained hash table insert: per-bucket spin lock, nodes taken from a preallocated pool.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define HASH_ENTRIES 4096

struct Entry {
    unsigned int key;
    void        *value;
    int          next;      // index in the pool, -1 ends the chain
};

struct Table {
    size_t        count;
    volatile int *entries;     // heads, -1 when empty
    Entry        *pool;        // one node per element
};

struct Lock {
    int *mutex;
    __device__ bool try_lock() { return atomicCAS(mutex, 0, 1) == 0; }
    __device__ void unlock() { atomicExch(mutex, 0); }
};

__device__ __host__ size_t hash(unsigned int key, size_t count)
{
    return key % count;
}

__global__ void add_to_table(const unsigned int *keys, void **values, Table table, int *locks, int elements)
{
    int tid = threadIdx.x + blockIdx.x * blockDim.x;
    int stride = blockDim.x * gridDim.x;
    for (; tid < elements; tid += stride) {
        unsigned int key = keys[tid];
        size_t bucket = hash(key, table.count);
        Lock lock = { locks + bucket };
        bool done = false;
        while (!done) {
            if (lock.try_lock()) {
                __threadfence();
                Entry *node = &table.pool[tid];
                node->key = key;
                node->value = values[tid];
                node->next = table.entries[bucket];
                table.entries[bucket] = tid;
                __threadfence();
                lock.unlock();
                done = true;
            }
        }
    }
}

__global__ void chain_lengths(Table table, int *length)
{
    int b = threadIdx.x + blockIdx.x * blockDim.x;
    if (b >= (int)table.count)
        return;
    int len = 0;
    for (int e = table.entries[b]; e >= 0; e = table.pool[e].next)
        len++;
    length[b] = len;
}

int main(void)
{
    const int elements = 1 << 20;
    unsigned int *keys = (unsigned int *)malloc(elements * sizeof(unsigned int)), *d_keys;
    for (int i = 0; i < elements; i++) keys[i] = (unsigned int)rand();
    void **d_values;
    int *d_locks, *d_len, *d_heads;
    Table t;
    t.count = HASH_ENTRIES;
    cudaMalloc((void **)&d_keys, elements * sizeof(unsigned int));
    cudaMalloc((void **)&d_values, elements * sizeof(void *));
    cudaMalloc((void **)&d_heads, HASH_ENTRIES * sizeof(int));
    cudaMalloc((void **)&t.pool, elements * sizeof(Entry));
    cudaMalloc((void **)&d_locks, HASH_ENTRIES * sizeof(int));
    cudaMalloc((void **)&d_len, HASH_ENTRIES * sizeof(int));
    t.entries = d_heads;
    cudaMemset(d_heads, 0xff, HASH_ENTRIES * sizeof(int));
    cudaMemset(d_locks, 0, HASH_ENTRIES * sizeof(int));
    cudaMemset(d_values, 0, elements * sizeof(void *));
    cudaMemcpy(d_keys, keys, elements * sizeof(unsigned int), cudaMemcpyHostToDevice);
    add_to_table<<<60, 256>>>(d_keys, d_values, t, d_locks, elements);
    chain_lengths<<<HASH_ENTRIES / 256, 256>>>(t, d_len);
    int *len = (int *)malloc(HASH_ENTRIES * sizeof(int)), total = 0;
    cudaMemcpy(len, d_len, HASH_ENTRIES * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < HASH_ENTRIES; i++) total += len[i];
    printf("%d of %d elements found in the table\n", total, elements);
    return 0;
}
