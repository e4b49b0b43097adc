// Per-batch de-duplication of sampled neighbour ids (GNN mini-batch sampler), one block per seed group.
#include <cuda_runtime.h>
#include <stdint.h>

#define TABLE 2048
#define EMPTY (-1)

template <int GROUP>
struct SampleArgs {
    const int *ids;          // [groups][GROUP] sampled neighbours, repeats possible
    int groups;
    int *unique;             // [groups][GROUP]
    int *num_unique;
};

__device__ __forceinline__ unsigned slot_of(int id)
{
    return ((unsigned)id * 2654435761u) >> 21;    // 11 bits
}

__device__ void insert(int *table, int id)
{
    unsigned h = slot_of(id);
    while (true) {
        int old = atomicCAS(table + h, EMPTY, id);
        if (old == EMPTY)
            return;
        if (old == id)
            return;
        h = (h + 1) % TABLE;
    }
}

template <int GROUP>
__global__ void dedup(SampleArgs<GROUP> a)
{
    static_assert(GROUP * 2 <= TABLE, "table too small");
    __shared__ int table[TABLE];
    __shared__ int n;
    for (int i = threadIdx.x; i < TABLE; i += blockDim.x)
        table[i] = EMPTY;
    if (threadIdx.x == 0)
        n = 0;
    __syncthreads();

    const int *ids = a.ids + (size_t)blockIdx.x * GROUP;
    for (int i = threadIdx.x; i < GROUP; i += blockDim.x)
        if (ids[i] >= 0)
            insert(table, ids[i]);
    __syncthreads();

    int *out = a.unique + (size_t)blockIdx.x * GROUP;
    for (int i = threadIdx.x; i < TABLE; i += blockDim.x)
        if (table[i] != EMPTY)
            out[atomicAdd(&n, 1)] = table[i];
    __syncthreads();
    if (threadIdx.x == 0)
        a.num_unique[blockIdx.x] = n;
}

extern "C" int sampler_dedup(const int *d_ids, int groups, int *d_unique, int *d_num, cudaStream_t st)
{
    SampleArgs<1024> a;
    a.ids = d_ids;
    a.groups = groups;
    a.unique = d_unique;
    a.num_unique = d_num;
    if (groups <= 0)
        return 0;
    dedup<1024><<<groups, 256, 0, st>>>(a);
    return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
