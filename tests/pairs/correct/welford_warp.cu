// Mean and variance per channel by Welford merges across the warp (doubles).
#include <cuda_runtime.h>

struct Moments {
    double n, mean, m2;

    __device__ void add(double x)
    {
        n += 1.0;
        const double d = x - mean;
        mean += d / n;
        m2 += d * (x - mean);
    }

    __device__ void merge(const Moments& o)
    {
        if (o.n == 0.0) return;
        const double tot = n + o.n;
        const double d = o.mean - mean;
        mean += d * (o.n / tot);
        m2 += o.m2 + d * d * (n * o.n / tot);
        n = tot;
    }
};

__device__ Moments from_lane_xor(const Moments& m, int mask)
{
    Moments r;
    r.n    = __shfl_xor_sync(0xffffffffu, m.n, mask);
    r.mean = __shfl_xor_sync(0xffffffffu, m.mean, mask);
    r.m2   = __shfl_xor_sync(0xffffffffu, m.m2, mask);
    return r;
}

__global__ void channel_stats(const float* __restrict__ x, int batch, int channels, int plane,
                              double* __restrict__ mean, double* __restrict__ var)
{
    const int c = blockIdx.x * blockDim.y + threadIdx.y;
    if (c >= channels) return;

    Moments m{0.0, 0.0, 0.0};
    for (int b = 0; b < batch; ++b) {
        const float* p = x + (static_cast<size_t>(b) * channels + c) * plane;
        for (int i = threadIdx.x; i < plane; i += 32) m.add(p[i]);
    }
#pragma unroll
    for (int k = 16; k >= 1; k >>= 1) m.merge(from_lane_xor(m, k));

    switch (threadIdx.x) {
    case 0: mean[c] = m.mean; break;
    case 1: var[c] = m.n > 1.0 ? m.m2 / (m.n - 1.0) : 0.0; break;
    default: break;
    }
}

void batchnorm_stats(const float* x, int batch, int channels, int plane, double* mean, double* var,
                     cudaStream_t s)
{
    if (batch <= 0 || channels <= 0 || plane <= 0) return;
    const dim3 block(32, 4);
    channel_stats<<<(channels + 3) / 4, block, 0, s>>>(x, batch, channels, plane, mean, var);
}
