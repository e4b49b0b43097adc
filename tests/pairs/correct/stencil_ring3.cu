// 7-point heat stencil marching in z with a ring of three shared planes.
#include <cuda_runtime.h>

constexpr int NX = 32;
constexpr int NY = 8;

struct Grid3 {
    int nx, ny, nz;
    __host__ __device__ size_t at(int x, int y, int z) const
    {
        return ((size_t)z * ny + y) * nx + x;
    }
};

__device__ void load_plane(float (&dst)[NY + 2][NX + 2], const float* u, Grid3 g, int bx, int by,
                           int z)
{
    const int tid = threadIdx.y * NX + threadIdx.x;
    for (int i = tid; i < (NX + 2) * (NY + 2); i += NX * NY) {
        const int ly = i / (NX + 2), lx = i % (NX + 2);
        const int x = bx + lx - 1, y = by + ly - 1;
        const bool in = x >= 0 && x < g.nx && y >= 0 && y < g.ny && z >= 0 && z < g.nz;
        dst[ly][lx] = in ? u[g.at(x, y, z)] : 0.f;
    }
}

__global__ void heat(const float* __restrict__ u, float* __restrict__ v, Grid3 g, float c)
{
    __shared__ float ring[3][NY + 2][NX + 2];
    const int bx = blockIdx.x * NX, by = blockIdx.y * NY;
    const int lx = threadIdx.x + 1, ly = threadIdx.y + 1;
    const int x = bx + threadIdx.x, y = by + threadIdx.y;

    load_plane(ring[0], u, g, bx, by, -1);
    load_plane(ring[1], u, g, bx, by, 0);
    int below = 0, mid = 1, above = 2;

    for (int z = 0; z < g.nz; ++z) {
        load_plane(ring[above], u, g, bx, by, z + 1);
        __syncthreads();
        if (x < g.nx && y < g.ny) {
            const float m = ring[mid][ly][lx];
            const float lap = ring[mid][ly][lx - 1] + ring[mid][ly][lx + 1] +
                              ring[mid][ly - 1][lx] + ring[mid][ly + 1][lx] +
                              ring[below][ly][lx] + ring[above][ly][lx] - 6.f * m;
            v[g.at(x, y, z)] = m + c * lap;
        }
        __syncthreads();        // "below" is overwritten next
        const int t = below;
        below = mid;
        mid = above;
        above = t;
    }
}

const float* heat_steps(float* a, float* b, Grid3 g, float c, int steps, cudaStream_t s)
{
    if (g.nx <= 0 || g.ny <= 0 || g.nz <= 0) return nullptr;
    dim3 block(NX, NY);
    dim3 grid((g.nx + NX - 1) / NX, (g.ny + NY - 1) / NY);
    float *src = a, *dst = b;
    for (int i = 0; i < steps; ++i) {
        heat<<<grid, block, 0, s>>>(src, dst, g, c);
        float* t = src;
        src = dst;
        dst = t;
    }
    return src;
}
