// 1-D multigrid V-cycles for -u'' = f in one cooperative kernel.
// Level l has size(l) = 2^(L-l) - 1 interior points; arrays carry a zero on either side.
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <cmath>
#include <vector>

namespace cg = cooperative_groups;

#define MAX_LEVELS 24

struct Hierarchy {
    int levels;
    int n[MAX_LEVELS];
    double h2[MAX_LEVELS];
    double *u[MAX_LEVELS];
    double *f[MAX_LEVELS];
};

__device__ void smooth(cg::grid_group &grid, double *u, const double *f, int n, double h2, int sweeps)
{
    const int step = (int)grid.size();
    for (int s = 0; s < sweeps; ++s) {
        for (int i = 1 + 2 * (int)grid.thread_rank(); i <= n; i += 2 * step)
            u[i] = 0.5 * (u[i - 1] + u[i + 1] + h2 * f[i]);
        grid.sync();
        for (int i = 2 + 2 * (int)grid.thread_rank(); i <= n; i += 2 * step)
            u[i] = 0.5 * (u[i - 1] + u[i + 1] + h2 * f[i]);
        grid.sync();
    }
}

// residual of the fine level, full weighting; clears the coarse guess
__device__ void restrictTo(cg::grid_group &grid, const Hierarchy &H, int l)
{
    const double *u = H.u[l], *f = H.f[l];
    const double ih2 = 1.0 / H.h2[l];
    for (int i = 1 + (int)grid.thread_rank(); i <= H.n[l + 1]; i += (int)grid.size()) {
        const int c = 2 * i;
        double r[3];
        for (int k = -1; k <= 1; ++k) {
            const int j = c + k;
            r[k + 1] = f[j] - (2.0 * u[j] - u[j - 1] - u[j + 1]) * ih2;
        }
        H.f[l + 1][i] = 0.25 * (r[0] + 2.0 * r[1] + r[2]);
        H.u[l + 1][i] = 0.0;
    }
    grid.sync();
}

__device__ void prolong(cg::grid_group &grid, const Hierarchy &H, int l)
{
    const double *c = H.u[l + 1];
    for (int j = 1 + (int)grid.thread_rank(); j <= H.n[l]; j += (int)grid.size()) {
        const int k = j >> 1;
        H.u[l][j] += j & 1 ? 0.5 * (c[k] + c[k + 1]) : c[k];
    }
    grid.sync();
}

__global__ void vcycles(Hierarchy H, int cycles)
{
    cg::grid_group grid = cg::this_grid();
    const int last = H.levels - 1;
    for (int c = 0; c < cycles; ++c) {
        for (int l = 0; l < last; ++l) {
            smooth(grid, H.u[l], H.f[l], H.n[l], H.h2[l], 2);
            restrictTo(grid, H, l);
        }
        // a single unknown is left
        if (grid.thread_rank() == 0)
            H.u[last][1] = 0.5 * H.h2[last] * H.f[last][1];
        grid.sync();
        for (int l = last - 1; l >= 0; --l) {
            prolong(grid, H, l);
            smooth(grid, H.u[l], H.f[l], H.n[l], H.h2[l], 2);
        }
    }
}

int main()
{
    const int L = 20, cycles = 12;
    Hierarchy H;
    H.levels = L;
    for (int l = 0; l < L; ++l) {
        H.n[l] = (1 << (L - l)) - 1;
        H.h2[l] = pow(0.5, 2.0 * (L - l));
        const size_t bytes = (H.n[l] + 2) * sizeof(double);
        if (cudaMalloc(&H.u[l], bytes) || cudaMalloc(&H.f[l], bytes)) return 1;
        cudaMemset(H.u[l], 0, bytes);
        cudaMemset(H.f[l], 0, bytes);
    }
    std::vector<double> f(H.n[0] + 2, 0.0);
    for (int i = 1; i <= H.n[0]; ++i) f[i] = sin(3.141592653589793 * i / (H.n[0] + 1));
    cudaMemcpy(H.f[0], f.data(), f.size() * sizeof(double), cudaMemcpyHostToDevice);
    int sms = 0, per = 0, c = cycles;
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per, vcycles, 256, 0);
    void *args[] = {&H, &c};
    if (cudaLaunchCooperativeKernel((const void *)vcycles, dim3(sms * per), dim3(256), args, 0, 0) != cudaSuccess)
        return 2;
    cudaMemcpy(f.data(), H.u[0], f.size() * sizeof(double), cudaMemcpyDeviceToHost);
    printf("u(1/2) = %.10f (exact %.10f)\n", f[f.size() / 2], 1.0 / (3.141592653589793 * 3.141592653589793));
    return 0;
}
