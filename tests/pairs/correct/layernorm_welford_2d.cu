// LayerNorm with Welford statistics. blockDim = (32, Y); x is the lane, so every
// threadIdx.y is one warp.
#include <cuda_runtime.h>
#include <cassert>

struct Welford {
    float mean, m2, n;
    __device__ void add(float x)
    {
        n += 1.f;
        const float d = x - mean;
        mean += d / n;
        m2 += d * (x - mean);
    }
    __device__ void merge(float om, float o2, float on)
    {
        if (on == 0.f) return;
        const float d = om - mean, t = n + on;
        mean += d * (on / t);
        m2 += o2 + d * d * n * (on / t);
        n = t;
    }
    __device__ void mergeDown(int delta)
    {
        const float om = __shfl_down_sync(0xffffffff, mean, delta);
        const float o2 = __shfl_down_sync(0xffffffff, m2, delta);
        const float on = __shfl_down_sync(0xffffffff, n, delta);
        merge(om, o2, on);
    }
};

__global__ void layerNorm(const float* __restrict__ x, const float* __restrict__ g, const float* __restrict__ b,
                          float* __restrict__ y, int rows, int cols, float eps)
{
    extern __shared__ float sh[];       // 3 * (blockDim.y / 2)
    const int row = blockIdx.x;
    const int Y = blockDim.y;
    const float* xr = x + (size_t)row * cols;
    Welford w{0.f, 0.f, 0.f};
    for (int c = threadIdx.y * 32 + threadIdx.x; c < cols; c += 32 * Y) w.add(xr[c]);
    for (int d = 16; d > 0; d /= 2) w.mergeDown(d);

    for (int off = Y / 2; off > 0; off /= 2) {
        const int wy = threadIdx.y - off;
        if (threadIdx.x == 0 && threadIdx.y >= off && threadIdx.y < 2 * off) {
            sh[3 * wy] = w.mean; sh[3 * wy + 1] = w.m2; sh[3 * wy + 2] = w.n;
        }
        __syncthreads();
        if (threadIdx.x == 0 && threadIdx.y < off)
            w.merge(sh[3 * threadIdx.y], sh[3 * threadIdx.y + 1], sh[3 * threadIdx.y + 2]);
        __syncthreads();
    }
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        sh[0] = w.mean;
        sh[1] = rsqrtf(w.m2 / cols + eps);
    }
    __syncthreads();
    const float mean = sh[0], rstd = sh[1];
    for (int c = threadIdx.y * 32 + threadIdx.x; c < cols; c += 32 * Y)
        y[(size_t)row * cols + c] = (xr[c] - mean) * rstd * g[c] + b[c];
}

void layerNormForward(const float* x, const float* g, const float* b, float* y, int rows, int cols, cudaStream_t s)
{
    assert(cols > 0 && rows >= 0 && x != y);
    if (rows == 0) return;
    const int ydim = cols >= 2048 ? 8 : cols >= 512 ? 4 : 2;   // powers of two
    layerNorm<<<rows, dim3(32, ydim), 3 * (ydim / 2) * sizeof(float), s>>>(x, g, b, y, rows, cols, 1e-5f);
}
