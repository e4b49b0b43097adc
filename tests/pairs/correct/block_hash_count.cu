#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>

#define SLOTS 2048u
#define PER_BLOCK 1024
#define THREADS 256
#define VACANT 0xffffffffu

/* Counts distinct words of a slice and appends (word, count) pairs to a list. */
__global__ void count_words(const uint32_t *words, int n, uint2 *pairs, unsigned *npairs)
{
    __shared__ uint32_t key[SLOTS];
    __shared__ unsigned count[SLOTS];
    __shared__ unsigned distinct, start;

    for (unsigned s = threadIdx.x; s < SLOTS; s += THREADS) {
        key[s] = VACANT;
        count[s] = 0;
    }
    if (threadIdx.x == 0)
        distinct = 0;
    __syncthreads();

    const int first = blockIdx.x * PER_BLOCK;
    const int last = min(first + PER_BLOCK, n);
    for (int i = first + threadIdx.x; i < last; i += THREADS) {
        const uint32_t w = words[i];
        if (w == VACANT)
            continue;
        unsigned s = (w * 2654435761u) >> 21;  // 11 bits
        for (;;) {
            const uint32_t old = atomicCAS(&key[s], VACANT, w);
            if (old == VACANT || old == w)
                break;
            s = (s + 1) & (SLOTS - 1);  // at most PER_BLOCK keys: never full
        }
        atomicAdd(&count[s], 1u);
    }
    __syncthreads();

    unsigned mine = 0;
    for (unsigned s = threadIdx.x; s < SLOTS; s += THREADS)
        mine += key[s] != VACANT;
    unsigned at = mine ? atomicAdd(&distinct, mine) : 0;
    __syncthreads();
    if (threadIdx.x == 0)
        start = distinct ? atomicAdd(npairs, distinct) : 0;
    __syncthreads();

    at += start;
    for (unsigned s = threadIdx.x; s < SLOTS; s += THREADS)
        if (key[s] != VACANT)
            pairs[at++] = make_uint2(key[s], count[s]);
}

/* pairs must have room for n entries. */
int count_words_host(const uint32_t *words, int n, uint2 *pairs, unsigned *npairs)
{
    if (n < 0 || n > (1 << 30) || !pairs || !npairs)
        return -1;
    if (cudaMemset(npairs, 0, sizeof *npairs) != cudaSuccess)
        return -2;
    if (n > 0)
        count_words<<<(n + PER_BLOCK - 1) / PER_BLOCK, THREADS>>>(words, n, pairs, npairs);
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess)
        fprintf(stderr, "count_words: %s\n", cudaGetErrorString(e));
    return e == cudaSuccess ? 0 : -3;
}
