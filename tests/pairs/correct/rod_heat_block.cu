#include <cuda_runtime.h>
#include <cmath>
#include <stdexcept>

// Each block relaxes one rod of at most kMax cells until it is steady.
constexpr int kMax = 512;

__global__ void __launch_bounds__(kMax)
relax_rods(float *rods, int cells, int max_steps, float tol, int *steps_taken)
{
    __shared__ float buf[2][kMax];
    const int i = threadIdx.x;
    float *rod = rods + (size_t)blockIdx.x * cells;
    const bool inside = i < cells;
    const bool moving_cell = i > 0 && i < cells - 1;

    if (inside) {
        buf[0][i] = rod[i];
        buf[1][i] = buf[0][i];
    }
    __syncthreads();

    int cur = 0;
    int step = 0;
    for (; step < max_steps; ++step) {
        float change = 0.0f;
        if (moving_cell) {
            const float *src = buf[cur];
            const float v = src[i] + 0.25f * (src[i - 1] - 2.0f * src[i] + src[i + 1]);
            change = fabsf(v - src[i]);
            buf[cur ^ 1][i] = v;
        }
        cur ^= 1;
        if (!__syncthreads_or(change > tol))
            break;
    }

    if (inside)
        rod[i] = buf[cur][i];
    if (i == 0)
        steps_taken[blockIdx.x] = step;
}

void relax(float *rods, int num_rods, int cells, int max_steps, float tol, int *steps_taken,
           cudaStream_t stream)
{
    if (cells < 3 || cells > kMax)
        throw std::invalid_argument("relax: cells");
    if (num_rods < 1 || max_steps < 0 || !(tol >= 0.0f))
        throw std::invalid_argument("relax: arguments");
    const int threads = (cells + 31) / 32 * 32;
    relax_rods<<<num_rods, threads, 0, stream>>>(rods, cells, max_steps, tol, steps_taken);
    if (cudaGetLastError() != cudaSuccess)
        throw std::runtime_error("relax: launch");
}
