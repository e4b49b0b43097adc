// FIR filter over long signals, tile staged with cp.async. Build: nvcc -arch=sm_80
#include <cuda_runtime.h>
#include <cuda_pipeline.h>
#include <algorithm>
#include <cstdio>

namespace dsp {

constexpr int kThreads = 256;
constexpr int kMaxTaps = 128;

__constant__ float c_taps[kMaxTaps];

class SignalTile {
public:
    __device__ SignalTile(float* mem, int taps) : mem_(mem), taps_(taps) {}

    __device__ int width() const { return kThreads + taps_ - 1; }

    // Samples before 0 and past n count as zero.
    __device__ void load(const float* __restrict__ x, long long first, long long n)
    {
        for (int k = threadIdx.x; k < width(); k += kThreads) {
            const long long g = first + k;
            if (g >= 0 && g < n)
                __pipeline_memcpy_async(&mem_[k], &x[g], sizeof(float));
            else
                mem_[k] = 0.f;
        }
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
    }

    __device__ float apply() const
    {
        float acc = 0.f;
        for (int t = 0; t < taps_; ++t)
            acc = fmaf(c_taps[t], mem_[threadIdx.x + taps_ - 1 - t], acc);
        return acc;
    }

private:
    float* mem_;
    int taps_;
};

template <class Epilogue>
__global__ void __launch_bounds__(kThreads)
firKernel(const float* __restrict__ x, float* __restrict__ y, long long n, int taps,
          Epilogue epi)
{
    extern __shared__ float s_tile[];
    SignalTile tile(s_tile, taps);
    const long long tiles = (n + kThreads - 1) / kThreads;
    for (long long b = blockIdx.x; b < tiles; b += gridDim.x) {
        const long long out0 = b * kThreads;
        tile.load(x, out0 - (taps - 1), n);
        const float v = tile.apply();
        if (out0 + threadIdx.x < n)
            y[out0 + threadIdx.x] = epi(v);
        __syncthreads();
    }
}

struct Gain {
    float g;
    __device__ float operator()(float v) const { return g * v; }
};

struct Rectify {
    __device__ float operator()(float v) const { return fabsf(v); }
};

template <class Epilogue>
static cudaError_t launch(const float* x, float* y, long long n, int taps, Epilogue e,
                          cudaStream_t s)
{
    const long long tiles = (n + kThreads - 1) / kThreads;
    const int grid = int(std::min<long long>(tiles, 1024));
    const size_t bytes = (kThreads + taps - 1) * sizeof(float);
    firKernel<<<grid, kThreads, bytes, s>>>(x, y, n, taps, e);
    return cudaGetLastError();
}

cudaError_t fir(const float* x, float* y, long long n, const float* hTaps, int taps,
                float gain, bool rectify, cudaStream_t s)
{
    if (taps < 1 || taps > kMaxTaps || n <= 0)
        return cudaErrorInvalidValue;
    cudaError_t e = cudaMemcpyToSymbolAsync(c_taps, hTaps, taps * sizeof(float), 0,
                                            cudaMemcpyHostToDevice, s);
    if (e != cudaSuccess)
        return e;
    return rectify ? launch(x, y, n, taps, Rectify(), s) : launch(x, y, n, taps, Gain{gain}, s);
}

} // namespace dsp
