#include <cub/cub.cuh>
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

// Arithmetic Asian options by Monte Carlo, with antithetic paths.

namespace mc {

struct Contract {
  float spot, strike, rate, vol, expiry;
  int fixings;
  bool call;
};

struct Estimate {
  double sum;
  double sumSq;
  float best;
};

// Counter based generator, one stream for each path.
struct Rng {
  unsigned key, ctr;
  __device__ Rng(unsigned seed, unsigned path) : key(seed ^ (path * 0x9e3779b9u)), ctr(0) {}
  __device__ unsigned next() {
    unsigned x = key + 0x6d2b79f5u * ++ctr;
    x = (x ^ (x >> 15)) * (x | 1u);
    x ^= x + (x ^ (x >> 7)) * (x | 61u);
    return x ^ (x >> 14);
  }
  __device__ float normal() {
    const float u = (next() >> 8) * (1.f / 16777216.f) + 1e-7f;
    const float v = (next() >> 8) * (1.f / 16777216.f);
    return sqrtf(-2.f * logf(u)) * cospif(2.f * v);
  }
};

__device__ float payoff(const Contract& c, float mean) {
  return fmaxf(c.call ? mean - c.strike : c.strike - mean, 0.f);
}

__device__ float simulate(const Contract& c, Rng rng) {
  const float dt = c.expiry / c.fixings;
  const float drift = (c.rate - 0.5f * c.vol * c.vol) * dt;
  const float diff = c.vol * sqrtf(dt);
  float up = c.spot, down = c.spot, accUp = 0.f, accDown = 0.f;
  for (int k = 0; k < c.fixings; ++k) {
    const float z = rng.normal() * diff;
    up *= expf(drift + z);
    down *= expf(drift - z);
    accUp += up;
    accDown += down;
  }
  const float disc = expf(-c.rate * c.expiry);
  return 0.5f * disc * (payoff(c, accUp / c.fixings) + payoff(c, accDown / c.fixings));
}

template <int BLOCK, int PATHS>
__global__ void __launch_bounds__(BLOCK) price(const Contract* book, Estimate* partial, unsigned seed) {
  using Reduce = cub::BlockReduce<double, BLOCK>;
  using ReduceMax = cub::BlockReduce<float, BLOCK>;
  __shared__ union {
    typename Reduce::TempStorage sum;
    typename ReduceMax::TempStorage peak;
  } tmp;

  const Contract c = book[blockIdx.y];
  double sum = 0.0, sumSq = 0.0;
  float best = 0.f;
  for (int i = 0; i < PATHS; ++i) {
    const unsigned path = (blockIdx.x * PATHS + i) * BLOCK + threadIdx.x;
    const float v = simulate(c, Rng(seed + blockIdx.y, path));
    sum += v;
    sumSq += double(v) * v;
    best = fmaxf(best, v);
  }

  const double total = Reduce(tmp.sum).Sum(sum);
  __syncthreads();
  const double totalSq = Reduce(tmp.sum).Sum(sumSq);
  __syncthreads();
  const float top = ReduceMax(tmp.peak).Reduce(best, [](float a, float b) { return fmaxf(a, b); });

  if (threadIdx.x == 0) partial[blockIdx.y * gridDim.x + blockIdx.x] = Estimate{total, totalSq, top};
}

}  // namespace mc

int main() {
  using namespace mc;
  constexpr int kBlock = 128, kPaths = 16;
  std::vector<Contract> book;
  for (int i = 0; i < 40; ++i)
    book.push_back({100.f, 80.f + i, 0.02f, 0.2f + 0.005f * i, 1.f, 52, i % 2 == 0});
  const int blocks = 64;

  Contract* d;
  Estimate* part;
  cudaMalloc(&d, book.size() * sizeof(Contract));
  cudaMalloc(&part, book.size() * blocks * sizeof(Estimate));
  cudaMemcpy(d, book.data(), book.size() * sizeof(Contract), cudaMemcpyHostToDevice);
  price<kBlock, kPaths><<<dim3(blocks, unsigned(book.size())), kBlock>>>(d, part, 42u);

  std::vector<Estimate> h(book.size() * blocks);
  const cudaError_t e = cudaMemcpy(h.data(), part, h.size() * sizeof(Estimate), cudaMemcpyDeviceToHost);
  if (e != cudaSuccess) {
    fprintf(stderr, "%s\n", cudaGetErrorString(e));
    return 1;
  }
  const double n = double(blocks) * kBlock * kPaths;
  for (size_t o = 0; o < book.size(); ++o) {
    double s = 0, q = 0;
    for (int b = 0; b < blocks; ++b) s += h[o * blocks + b].sum, q += h[o * blocks + b].sumSq;
    const double mean = s / n;
    printf("%2zu %8.4f +- %.4f\n", o, mean, sqrt((q / n - mean * mean) / n));
  }
  return 0;
}
