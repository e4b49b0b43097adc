// 7-point stencil, 2.5-D blocking, register queue in z. Build: nvcc -arch=sm_80
#include <cuda_runtime.h>
#include <cstdio>
#include <utility>

#define BX 32
#define BY 8
#define IDX(x, y, z) ((size_t)(z) * p.ny * p.nx + (size_t)(y) * p.nx + (x))

struct GridParams {
    int nx, ny, nz;
    float c0, c1;
};

__device__ __forceinline__ float fetch(const float* __restrict__ u, const GridParams& p,
                                       int x, int y, int z)
{
    x = min(max(x, 0), p.nx - 1);
    y = min(max(y, 0), p.ny - 1);
    return u[IDX(x, y, z)];
}

__device__ __forceinline__ void fillPlane(float (&tile)[BY + 2][BX + 2], float centre,
                                          const float* __restrict__ u,
                                          const GridParams& p, int x, int y, int z)
{
    const int tx = threadIdx.x + 1;
    const int ty = threadIdx.y + 1;
    tile[ty][tx] = centre;
    if (threadIdx.x == 0)
        tile[ty][0] = fetch(u, p, x - 1, y, z);
    if (threadIdx.x == BX - 1)
        tile[ty][BX + 1] = fetch(u, p, x + 1, y, z);
    if (threadIdx.y == 0)
        tile[0][tx] = fetch(u, p, x, y - 1, z);
    if (threadIdx.y == BY - 1)
        tile[BY + 1][tx] = fetch(u, p, x, y + 1, z);
}

__global__ void heatStep(const float* __restrict__ u, float* __restrict__ v, GridParams p)
{
    __shared__ float tile[BY + 2][BX + 2];
    const int x = blockIdx.x * BX + threadIdx.x;
    const int y = blockIdx.y * BY + threadIdx.y;
    const int tx = threadIdx.x + 1;
    const int ty = threadIdx.y + 1;
    const bool inside = x > 0 && x < p.nx - 1 && y > 0 && y < p.ny - 1;

    float below = fetch(u, p, x, y, 0);
    float centre = fetch(u, p, x, y, 1);
    for (int z = 1; z < p.nz - 1; ++z) {
        const float above = fetch(u, p, x, y, z + 1);
        fillPlane(tile, centre, u, p, x, y, z);
        __syncthreads();
        if (inside) {
            const float ring = tile[ty][tx - 1] + tile[ty][tx + 1] +
                               tile[ty - 1][tx] + tile[ty + 1][tx];
            v[IDX(x, y, z)] = p.c0 * centre + p.c1 * (ring + below + above);
        }
        __syncthreads();
        below = centre;
        centre = above;
    }
}

cudaError_t runHeat(float* a, float* b, GridParams p, int steps, cudaStream_t s)
{
    if (p.nx < 3 || p.ny < 3 || p.nz < 3)
        return cudaErrorInvalidValue;
    const dim3 block(BX, BY);
    const dim3 grid((p.nx + BX - 1) / BX, (p.ny + BY - 1) / BY);
    for (int it = 0; it < steps; ++it) {
        heatStep<<<grid, block, 0, s>>>(a, b, p);
        std::swap(a, b);
    }
    return cudaGetLastError();
}
