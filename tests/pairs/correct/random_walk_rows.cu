// node2vec style random walks, one walker per thread; visit counts are kept per walker group.
#include <cuda_runtime.h>
#include <curand_kernel.h>
#include <cstdint>

struct WalkGraph {
    int n;
    const int *ptr;
    const int *adj;           // ascending in each list
    const float *alias_prob;  // alias method tables aligned with adj
    const int *alias_idx;
};

struct WalkConfig {
    int length;
    float p, q;
    uint64_t seed;
};

__device__ bool has_edge(const WalkGraph &g, int u, int v)
{
    int lo = g.ptr[u], hi = g.ptr[u + 1];
    while (lo < hi) {
        int m = (lo + hi) / 2;
        if (g.adj[m] < v) lo = m + 1;
        else hi = m;
    }
    return lo < g.ptr[u + 1] && g.adj[lo] == v;
}

__device__ int alias_step(const WalkGraph &g, int u, curandStatePhilox4_32_10_t *st)
{
    const int b = g.ptr[u], deg = g.ptr[u + 1] - b;
    if (deg == 0) return -1;
    int k = min(deg - 1, (int)(curand_uniform(st) * deg));
    if (curand_uniform(st) > g.alias_prob[b + k]) k = g.alias_idx[b + k];
    return g.adj[b + k];
}

__global__ void walk(WalkGraph g, WalkConfig c, const int *__restrict__ start, int walkers, int *path, unsigned *degree_hist)
{
    const int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w >= walkers) return;
    curandStatePhilox4_32_10_t st;
    curand_init(c.seed, w, 0, &st);
    int *mine = path + (size_t)w * c.length;
    unsigned *hist = degree_hist + (size_t)w * 32;       // log2(degree) histogram of this walker
    const float top = fmaxf(1.f, fmaxf(1.f / c.p, 1.f / c.q));
    int prev = -1, cur = start[w], k = 0;
    mine[k++] = cur;
    while (k < c.length) {
        int nxt;
        for (int tries = 0;; ++tries) {
            nxt = alias_step(g, cur, &st);
            if (nxt < 0 || prev < 0 || tries > 16) break;
            const float a = nxt == prev ? 1.f / c.p : has_edge(g, prev, nxt) ? 1.f : 1.f / c.q;
            if (curand_uniform(&st) * top <= a) break;
        }
        if (nxt < 0) break;
        const int d = g.ptr[nxt + 1] - g.ptr[nxt];
        hist[31 - __clz(d | 1)]++;
        mine[k++] = nxt;
        prev = cur;
        cur = nxt;
    }
    for (; k < c.length; ++k) mine[k] = -1;
}

__global__ void sum_hist(const unsigned *__restrict__ degree_hist, int walkers, unsigned long long *out)
{
    unsigned long long s = 0;
    for (int w = 0; w < walkers; ++w) s += degree_hist[(size_t)w * 32 + threadIdx.x];
    out[threadIdx.x] = s;
}

int run_walks(const WalkGraph &g, const WalkConfig &c, const int *d_start, int walkers, int *d_path, unsigned *d_hist,
              unsigned long long *d_total)
{
    cudaMemset(d_hist, 0, sizeof(unsigned) * 32 * (size_t)walkers);
    walk<<<(walkers + 127) / 128, 128>>>(g, c, d_start, walkers, d_path, d_hist);
    sum_hist<<<1, 32>>>(d_hist, walkers, d_total);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
