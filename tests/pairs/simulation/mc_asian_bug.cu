// Monte Carlo pricing of an arithmetic Asian call. Build: nvcc -arch=sm_80
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cmath>

namespace mc {

struct Market {
    float spot, strike, rate, vol, maturity;
    int steps;
};

class XorShift {
public:
    __device__ explicit XorShift(uint64_t seed) : s_(seed * 0x9E3779B97F4A7C15ull + 1ull)
    {
        next();
        next();
    }
    __device__ float uniform()
    {
        return (float(next() >> 40) + 0.5f) * (1.0f / 16777216.0f);
    }
    __device__ float2 gauss2()
    {
        const float r = sqrtf(-2.0f * __logf(uniform()));
        float sn, cs;
        sincospif(2.0f * uniform(), &sn, &cs);
        return make_float2(r * cs, r * sn);
    }

private:
    __device__ uint64_t next()
    {
        s_ ^= s_ << 13;
        s_ ^= s_ >> 7;
        s_ ^= s_ << 17;
        return s_;
    }
    uint64_t s_;
};

__device__ float simulate(const Market& m, XorShift& rng)
{
    const float dt = m.maturity / m.steps;
    const float drift = (m.rate - 0.5f * m.vol * m.vol) * dt;
    const float diff = m.vol * sqrtf(dt);
    float s = m.spot, sum = 0.f;
    for (int t = 0; t < m.steps; t += 2) {
        const float2 z = rng.gauss2();
        s *= __expf(drift + diff * z.x);
        sum += s;
        if (t + 1 < m.steps) {
            s *= __expf(drift + diff * z.y);
            sum += s;
        }
    }
    return fmaxf(sum / m.steps - m.strike, 0.f);
}

__device__ __forceinline__ double warpSum(double v)
{
    for (int o = 16; o; o >>= 1)
        v += __shfl_down_sync(0xffffffff, v, o);
    return v;
}

__global__ void pricePaths(Market m, int nPaths, uint64_t seed, double* sums)
{
    const int path = blockIdx.x * blockDim.x + threadIdx.x;
    if (path >= nPaths)
        return;

    XorShift rng(seed + path);
    const double payoff = simulate(m, rng);

    const double s1 = warpSum(payoff);
    const double s2 = warpSum(payoff * payoff);
    if ((threadIdx.x & 31) == 0) {
        atomicAdd(&sums[0], s1);
        atomicAdd(&sums[1], s2);
    }
}

cudaError_t price(const Market& m, int nPaths, uint64_t seed, double* d_sums,
                  double* mean, double* stderrOut)
{
    const int block = 128;
    const int grid = (nPaths + block - 1) / block;
    cudaMemset(d_sums, 0, 2 * sizeof(double));
    pricePaths<<<grid, block>>>(m, nPaths, seed, d_sums);
    double h[2];
    cudaError_t e = cudaMemcpy(h, d_sums, sizeof(h), cudaMemcpyDeviceToHost);
    if (e != cudaSuccess)
        return e;
    const double df = std::exp(-double(m.rate) * m.maturity);
    const double mu = h[0] / nPaths;
    *mean = df * mu;
    *stderrOut = df * std::sqrt((h[1] / nPaths - mu * mu) / nPaths);
    return cudaSuccess;
}

} // namespace mc
