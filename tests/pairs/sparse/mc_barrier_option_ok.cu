// Monte Carlo pricing of a down-and-out barrier call.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cmath>

struct OptionSpec {
  float spot, strike, barrier, rate, vol, expiry;
  int steps;
};

struct Moments { double sum, sumSq; };

__device__ __forceinline__ uint32_t pcg(uint64_t& s) {
  const uint64_t old = s;
  s = old * 6364136223846793005ULL + 1442695040888963407ULL;
  const uint32_t x = (uint32_t)(((old >> 18u) ^ old) >> 27u);
  const uint32_t r = (uint32_t)(old >> 59u);
  return (x >> r) | (x << ((0u - r) & 31u));
}

__device__ float2 boxMuller(uint64_t& s) {
  const float u = (pcg(s) + 1.0f) * 2.3283064e-10f;
  const float v = pcg(s) * 2.3283064e-10f;
  const float m = sqrtf(-2.f * logf(fminf(u, 1.f)));
  float si, co;
  sincospif(2.f * v, &si, &co);
  return make_float2(m * co, m * si);
}

__device__ double warpSum(double v) {
  for (int o = 16; o; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  return v;
}

// The result is valid in thread 0 only.
template <int THREADS>
__device__ double blockSum(double v) {
  static_assert(THREADS % 32 == 0 && THREADS <= 1024, "whole warps");
  __shared__ double part[THREADS / 32];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  v = warpSum(v);
  __syncthreads();
  if (lane == 0) part[warp] = v;
  __syncthreads();
  if (warp == 0) {
    v = lane < THREADS / 32 ? part[lane] : 0.0;
    v = warpSum(v);
  }
  return v;
}

__device__ float simulate(const OptionSpec& o, uint64_t& rng) {
  const float dt = o.expiry / o.steps;
  const float drift = (o.rate - 0.5f * o.vol * o.vol) * dt, dev = o.vol * sqrtf(dt);
  float logS = logf(o.spot);
  const float logB = logf(o.barrier);
  for (int k = 0; k < o.steps; k += 2) {
    const float2 z = boxMuller(rng);
    logS += drift + dev * z.x;
    if (logS < logB) return 0.f;
    if (k + 1 < o.steps) logS += drift + dev * z.y;
    if (logS < logB) return 0.f;
  }
  return fmaxf(expf(logS) - o.strike, 0.f);
}

template <int THREADS>
__global__ void priceKernel(OptionSpec o, long long paths, uint64_t seed, Moments* blockOut) {
  const long long first = (long long)blockIdx.x * THREADS + threadIdx.x;
  uint64_t rng = seed ^ (0x9E3779B97F4A7C15ULL * (uint64_t)(first + 1));
  double s = 0, s2 = 0;
  for (long long p = first; p < paths; p += (long long)gridDim.x * THREADS) {
    const double v = simulate(o, rng);
    s += v;
    s2 += v * v;
  }
  s = blockSum<THREADS>(s);
  s2 = blockSum<THREADS>(s2);
  if (threadIdx.x == 0) blockOut[blockIdx.x] = Moments{s, s2};
}

int main() {
  constexpr int THREADS = 256, BLOCKS = 320;
  const OptionSpec o{100.f, 105.f, 85.f, 0.02f, 0.25f, 1.f, 252};
  const long long paths = 10000000;
  Moments *d, h[BLOCKS];
  if (cudaMalloc(&d, sizeof(h)) != cudaSuccess) return 1;
  priceKernel<THREADS><<<BLOCKS, THREADS>>>(o, paths, 42, d);
  if (cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  double s = 0, s2 = 0;
  for (const Moments& m : h) { s += m.sum; s2 += m.sumSq; }
  const double mean = s / paths, var = s2 / paths - mean * mean;
  const double df = std::exp(-o.rate * o.expiry);
  std::printf("price %.5f +- %.5f\n", df * mean, df * std::sqrt(var / paths));
  cudaFree(d);
  return 0;
}
