// Open addressing hash table (linear probing), 64-bit keys, build and probe.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

typedef unsigned long long key_t64;
#define EMPTY_KEY 0xffffffffffffffffULL

struct HashTable {
    key_t64 *keys;
    uint32_t mask;      // capacity - 1, capacity is a power of two
};

__host__ __device__ inline uint32_t mix(key_t64 k)
{
    k ^= k >> 33;
    k *= 0xff51afd7ed558ccdULL;
    k ^= k >> 33;
    k *= 0xc4ceb9fe1a85ec53ULL;
    k ^= k >> 33;
    return (uint32_t)k;
}

__device__ bool ht_insert(HashTable t, key_t64 key)
{
    uint32_t slot = mix(key) & t.mask;
    for (uint32_t probe = 0; probe <= t.mask; ++probe) {
        key_t64 cur = atomicCAS(&t.keys[slot], EMPTY_KEY, key);
        if (cur == EMPTY_KEY)
            return true;
        if (cur == key)
            return false;
        slot = (slot + 1) & t.mask;
    }
    return false;
}

__global__ void build(HashTable t, const key_t64 *in, int n, unsigned *inserted)
{
    unsigned mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += ht_insert(t, in[i]);
    if (mine)
        atomicAdd(inserted, mine);
}

__global__ void probe(HashTable t, const key_t64 *query, int n, unsigned char *found)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    key_t64 k = query[i];
    uint32_t slot = mix(k) & t.mask;
    unsigned char hit = 0;
    while (t.keys[slot] != EMPTY_KEY) {
        if (t.keys[slot] == k) { hit = 1; break; }
        slot = (slot + 1) & t.mask;
    }
    found[i] = hit;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1 << 20;
    uint32_t cap = 1;
    while (cap < 2u * n) cap <<= 1;
    key_t64 *h = (key_t64 *)malloc(n * sizeof(key_t64)), *d_in;
    for (int i = 0; i < n; i++) h[i] = (key_t64)rand() << 16 | rand();
    HashTable t;
    t.mask = cap - 1;
    unsigned *d_cnt, cnt;
    unsigned char *d_found;
    cudaMalloc(&t.keys, cap * sizeof(key_t64));
    cudaMalloc(&d_in, n * sizeof(key_t64));
    cudaMalloc(&d_cnt, sizeof(unsigned));
    cudaMalloc(&d_found, n);
    cudaMemset(t.keys, 0xff, cap * sizeof(key_t64));
    cudaMemset(d_cnt, 0, sizeof(unsigned));
    cudaMemcpy(d_in, h, n * sizeof(key_t64), cudaMemcpyHostToDevice);
    build<<<160, 256>>>(t, d_in, n, d_cnt);
    probe<<<(n + 255) / 256, 256>>>(t, d_in, n, d_found);
    cudaMemcpy(&cnt, d_cnt, sizeof(cnt), cudaMemcpyDeviceToHost);
    printf("%u distinct of %d\n", cnt, n);
    return 0;
}
