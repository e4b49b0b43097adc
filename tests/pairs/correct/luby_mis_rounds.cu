// Maximal independent set (Luby) with frozen states per round; a vertex only ever changes itself.
#include <cuda_runtime.h>
#include <cstdint>

enum VertexState : int8_t { UNDECIDED = 0, IN_SET = 1, EXCLUDED = 2 };

struct Adjacency {
    int n;
    const int *__restrict__ ptr;
    const int *__restrict__ idx;
};

__host__ __device__ inline uint32_t priority(uint32_t v, uint32_t round)
{
    uint32_t x = v * 0x9E3779B1u + round * 0x85EBCA77u;
    x ^= x >> 15;
    x *= 0xD168AAADu;
    x ^= x >> 15;
    return x;
}

__device__ inline bool wins(uint32_t v, uint32_t u, uint32_t round)
{
    const uint32_t pv = priority(v, round), pu = priority(u, round);
    return pv > pu || (pv == pu && v > u);
}

__global__ void selectKernel(Adjacency g, const int8_t *__restrict__ state, int8_t *next, uint32_t round)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= g.n)
        return;
    int8_t s = state[v];
    if (s == UNDECIDED) {
        bool best = true;
        for (int p = g.ptr[v]; p < g.ptr[v + 1] && best; ++p) {
            const int u = g.idx[p];
            if (u != v && state[u] == UNDECIDED && !wins(v, u, round))
                best = false;
        }
        if (best)
            s = IN_SET;
    }
    next[v] = s;
}

__global__ void excludeKernel(Adjacency g, const int8_t *__restrict__ state, int8_t *next, int *undecided)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= g.n)
        return;
    int8_t s = state[v];
    if (s == UNDECIDED) {
        for (int p = g.ptr[v]; p < g.ptr[v + 1]; ++p)
            if (g.idx[p] != v && state[g.idx[p]] == IN_SET) {
                s = EXCLUDED;
                break;
            }
        if (s == UNDECIDED)
            atomicAdd(undecided, 1);
    }
    next[v] = s;
}

int maximal_independent_set(const Adjacency &g, int8_t *d_state, int8_t *d_scratch, int *d_count, cudaStream_t s)
{
    const int tb = 128, nb = (g.n + tb - 1) / tb;
    int left = g.n, round = 0;
    cudaMemsetAsync(d_state, UNDECIDED, g.n, s);
    while (left > 0) {
        cudaMemsetAsync(d_count, 0, sizeof(int), s);
        selectKernel<<<nb, tb, 0, s>>>(g, d_state, d_scratch, (uint32_t)round);
        excludeKernel<<<nb, tb, 0, s>>>(g, d_scratch, d_state, d_count);
        cudaMemcpyAsync(&left, d_count, sizeof(int), cudaMemcpyDeviceToHost, s);
        cudaStreamSynchronize(s);
        ++round;
    }
    return round;
}
