#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>

namespace cg = cooperative_groups;

struct Jacobi {
    int nx, ny;
    float *field[2];
    const float *source;
    unsigned *changed;  // three entries, zeroed by the host
    int *iterations;
};

__global__ void __launch_bounds__(256) jacobi(Jacobi p, int max_iter, float tol)
{
    cg::grid_group grid = cg::this_grid();
    const int cells = p.nx * p.ny;
    const int stride = gridDim.x * blockDim.x;
    const int first = blockIdx.x * blockDim.x + threadIdx.x;

    int it = 0;
    int src = 0;
    while (it < max_iter) {
        const float *a = p.field[src];
        float *b = p.field[src ^ 1];
        if (first == 0)
            p.changed[(it + 1) % 3] = 0;

        bool mine = false;
        for (int c = first; c < cells; c += stride) {
            const int x = c % p.nx, y = c / p.nx;
            float v = a[c];
            if (x > 0 && y > 0 && x < p.nx - 1 && y < p.ny - 1) {
                const float w =
                    0.25f * (a[c - 1] + a[c + 1] + a[c - p.nx] + a[c + p.nx] + p.source[c]);
                mine |= fabsf(w - v) > tol;
                v = w;
            }
            b[c] = v;
        }
        if (__syncthreads_or(mine) && threadIdx.x == 0)
            atomicOr(&p.changed[it % 3], 1u);
        grid.sync();

        const bool go_on = p.changed[it % 3] != 0;
        ++it;
        src ^= 1;
        if (!go_on)
            break;
    }
    if (first == 0)
        *p.iterations = it;  // the result is in field[it & 1]
}

int solve(Jacobi p, int max_iter, float tol, cudaStream_t stream)
{
    if (p.nx < 3 || p.ny < 3 || (long long)p.nx * p.ny > (1 << 28) || max_iter < 1)
        return -1;
    int dev = 0, sms = 0, per_sm = 0, coop = 0;
    cudaGetDevice(&dev);
    cudaDeviceGetAttribute(&coop, cudaDevAttrCooperativeLaunch, dev);
    if (!coop)
        return -2;
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, jacobi, 256, 0);
    const int grid = std::min(sms * per_sm, (p.nx * p.ny + 255) / 256);
    cudaMemsetAsync(p.changed, 0, 3 * sizeof(unsigned), stream);
    void *args[] = {&p, &max_iter, &tol};
    cudaError_t e = cudaLaunchCooperativeKernel(jacobi, dim3(grid), dim3(256), args, 0, stream);
    if (e != cudaSuccess)
        std::fprintf(stderr, "jacobi: %s\n", cudaGetErrorString(e));
    return e == cudaSuccess ? 0 : -3;
}
