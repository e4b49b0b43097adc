// Genetic optimiser, all generations in one cooperative launch (two populations).
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <curand_kernel.h>
#include <cfloat>
#include <cstdio>
#include <utility>

namespace cg = cooperative_groups;

namespace ga {

constexpr int kGenes = 16;

struct Individual {
  float gene[kGenes];
  float fitness;
};

struct Settings {
  int population;
  int generations;
  float mutation;
  int tournament;
  unsigned long long seed;
};

struct Rastrigin {
  __device__ float operator()(const float* g) const {
    float s = 10.f * kGenes;
#pragma unroll
    for (int i = 0; i < kGenes; ++i) s += g[i] * g[i] - 10.f * cospif(2.f * g[i]);
    return s;
  }
};

__device__ int tournament(const Individual* pop, int n, int k, curandStateXORWOW_t* r) {
  int best = curand(r) % n;
  for (int i = 1; i < k; ++i) {
    const int c = curand(r) % n;
    if (pop[c].fitness < pop[best].fitness) best = c;
  }
  return best;
}

__device__ void crossover(const Individual& a, const Individual& b, Individual& child, float mut,
                          curandStateXORWOW_t* r) {
  for (int i = 0; i < kGenes; ++i) {
    float g = curand_uniform(r) < 0.5f ? a.gene[i] : b.gene[i];
    if (curand_uniform(r) < mut) g += 0.1f * curand_normal(r);
    child.gene[i] = g;
  }
}

template <typename Objective>
__global__ void evolve(Individual* pop_a, Individual* pop_b, Settings s, Objective f) {
  cg::grid_group grid = cg::this_grid();
  const int gid = (int)grid.thread_rank();
  const int step = (int)grid.size();
  curandStateXORWOW_t rng;
  curand_init(s.seed, gid, 0, &rng);

  for (int i = gid; i < s.population; i += step) {
    for (int g = 0; g < kGenes; ++g) pop_a[i].gene[g] = 10.24f * curand_uniform(&rng) - 5.12f;
    pop_a[i].fitness = f(pop_a[i].gene);
  }
  grid.sync();

  Individual* cur = pop_a;
  Individual* next = pop_b;
  for (int gen = 0; gen < s.generations; ++gen) {
    for (int i = gid; i < s.population; i += step) {
      const int ma = tournament(cur, s.population, s.tournament, &rng);
      const int pa = tournament(cur, s.population, s.tournament, &rng);
      crossover(cur[ma], cur[pa], next[i], s.mutation, &rng);
      next[i].fitness = f(next[i].gene);
    }
    grid.sync();
    Individual* t = cur;
    cur = next;
    next = t;
  }
}

cudaError_t optimise(Individual* a, Individual* b, Settings s, cudaStream_t st) {
  int dev = 0, sms = 0, per = 0, coop = 0;
  cudaGetDevice(&dev);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
  cudaDeviceGetAttribute(&coop, cudaDevAttrCooperativeLaunch, dev);
  if (!coop || s.population < 2) return cudaErrorNotSupported;
  const int block = 128;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per, evolve<Rastrigin>, block, 0);
  int grid = (s.population + block - 1) / block;
  if (grid > per * sms) grid = per * sms;
  Rastrigin f;
  void* args[] = {&a, &b, &s, &f};
  return cudaLaunchCooperativeKernel((const void*)evolve<Rastrigin>, dim3(grid), dim3(block), args, 0, st);
}

}  // namespace ga

int main() {
  ga::Settings s{1 << 14, 200, 0.05f, 3, 1234ull};
  ga::Individual *a, *b;
  if (cudaMalloc(&a, sizeof(*a) * s.population) || cudaMalloc(&b, sizeof(*b) * s.population)) return 1;
  cudaError_t e = ga::optimise(a, b, s, 0);
  if (e == cudaSuccess) e = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(e));
  return e != cudaSuccess;
}
