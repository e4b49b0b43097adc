// Genetic algorithm for the TSP: order crossover, a thread builds a whole child tour.
#include <cuda_runtime.h>
#include <cstdint>
#include <utility>

struct Population {
    int size, cities;
    uint16_t *tour;        // [size][cities], permutations
    float *length;
};

__device__ uint32_t next_rand(uint32_t &s)
{
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    return s;
}

__device__ int tournament(const Population &p, uint32_t &rng)
{
    int best = next_rand(rng) % p.size;
    for (int i = 0; i < 3; ++i) {
        const int c = next_rand(rng) % p.size;
        if (p.length[c] < p.length[best]) best = c;
    }
    return best;
}

// used: [size][words] bit sets, one row per child
__global__ void crossover(Population cur, Population next, uint32_t *used, int words, uint32_t *rng_state)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= next.size) return;
    uint32_t rng = rng_state[k];
    const uint16_t *a = cur.tour + (size_t)tournament(cur, rng) * cur.cities;
    const uint16_t *b = cur.tour + (size_t)tournament(cur, rng) * cur.cities;
    uint16_t *child = next.tour + (size_t)k * next.cities;
    uint32_t *mask = used + (size_t)k * words;
    for (int w = 0; w < words; ++w) mask[w] = 0;

    int lo = next_rand(rng) % cur.cities, hi = next_rand(rng) % cur.cities;
    if (lo > hi) {
        const int t = lo;
        lo = hi;
        hi = t;
    }
    for (int i = lo; i <= hi; ++i) {
        child[i] = a[i];
        mask[a[i] >> 5] |= 1u << (a[i] & 31);
    }
    int w = hi + 1 == cur.cities ? 0 : hi + 1;
    for (int i = 0, r = w; i < cur.cities; ++i, r = r + 1 == cur.cities ? 0 : r + 1) {
        const uint16_t c = b[r];
        if (mask[c >> 5] >> (c & 31) & 1) continue;
        child[w] = c;
        w = w + 1 == cur.cities ? 0 : w + 1;
    }
    if (next_rand(rng) % 100 < 15) {
        const int i = next_rand(rng) % cur.cities, j = next_rand(rng) % cur.cities;
        const uint16_t t = child[i];
        child[i] = child[j];
        child[j] = t;
    }
    rng_state[k] = rng;
}

__global__ void evaluate(Population p, const float2 *__restrict__ xy, int *visits)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= p.size) return;
    const uint16_t *t = p.tour + (size_t)k * p.cities;
    float len = 0.f;
    for (int i = 0; i < p.cities; ++i) {
        const float2 u = xy[t[i]], v = xy[t[i + 1 == p.cities ? 0 : i + 1]];
        len += hypotf(u.x - v.x, u.y - v.y);
        visits[(size_t)t[i] * p.size + k] = i;      // position of the city in tour k
    }
    p.length[k] = len;
}

void evolve(Population &cur, Population &next, const float2 *d_xy, uint32_t *d_used, int *d_visits, uint32_t *d_rng, int generations)
{
    const int tb = 64, nb = (cur.size + tb - 1) / tb, words = (cur.cities + 31) / 32;
    evaluate<<<nb, tb>>>(cur, d_xy, d_visits);
    for (int g = 0; g < generations; ++g) {
        crossover<<<nb, tb>>>(cur, next, d_used, words, d_rng);
        evaluate<<<nb, tb>>>(next, d_xy, d_visits);
        std::swap(cur, next);
    }
    cudaDeviceSynchronize();
}
