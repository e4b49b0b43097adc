// Lennard-Jones forces with cell lists. A block handles one cell, the particles of
// the 27 cells around are staged in shared memory.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cmath>

#define BLOCK 64

typedef struct {
    int3 dim;
    float3 size;       /* edge lengths of a cell */
    const int *start;  /* cells + 1 entries */
} CellGrid;

__device__ static int wrap(int v, int n) { return v < 0 ? v + n : (v >= n ? v - n : v); }

__device__ static float minimumImage(float d, float box)
{
    return d - box * rintf(d / box);
}

__global__ void ljForces(CellGrid g, const float4 *__restrict__ pos, float4 *__restrict__ force,
                         float rc2, float3 box)
{
    __shared__ float4 sp[BLOCK];
    const int cell = blockIdx.x;
    const int cx = cell % g.dim.x, cy = cell / g.dim.x % g.dim.y, cz = cell / (g.dim.x * g.dim.y);
    const int begin = g.start[cell], end = g.start[cell + 1];

    for (int i0 = begin; i0 < end; i0 += BLOCK) {
        const int i = i0 + threadIdx.x;
        const bool mine = i < end;
        const float4 pi = mine ? pos[i] : make_float4(0, 0, 0, 0);
        float4 f = make_float4(0, 0, 0, 0);

        for (int nb = 0; nb < 27; ++nb) {
            const int nx = wrap(cx + nb % 3 - 1, g.dim.x);
            const int ny = wrap(cy + nb / 3 % 3 - 1, g.dim.y);
            const int nz = wrap(cz + nb / 9 - 1, g.dim.z);
            const int other = (nz * g.dim.y + ny) * g.dim.x + nx;
            const int jb = g.start[other], je = g.start[other + 1];
            if (jb == je || !mine) continue;
            for (int j0 = jb; j0 < je; j0 += BLOCK) {
                const int len = min(BLOCK, je - j0);
                if ((int)threadIdx.x < len) sp[threadIdx.x] = pos[j0 + threadIdx.x];
                __syncthreads();
                for (int j = 0; mine && j < len; ++j) {
                    if (j0 + j == i) continue;
                    const float dx = minimumImage(pi.x - sp[j].x, box.x);
                    const float dy = minimumImage(pi.y - sp[j].y, box.y);
                    const float dz = minimumImage(pi.z - sp[j].z, box.z);
                    const float r2 = dx * dx + dy * dy + dz * dz;
                    if (r2 >= rc2 || r2 == 0.f) continue;
                    const float s2 = 1.f / r2, s6 = s2 * s2 * s2;
                    const float ff = 24.f * s2 * s6 * (2.f * s6 - 1.f);
                    f.x += ff * dx; f.y += ff * dy; f.z += ff * dz;
                    f.w += 4.f * s6 * (s6 - 1.f);
                }
                __syncthreads();
            }
        }
        if (mine) force[i] = f;
    }
}

int main(void)
{
    const int nc = 12, perCell = 20;
    const float edge = 2.5f;
    std::vector<int> start(1, 0);
    std::vector<float4> pos;
    for (int c = 0; c < nc * nc * nc; ++c) {
        const int k = perCell + rand() % 9 - 4;
        for (int p = 0; p < k; ++p)
            pos.push_back(make_float4((c % nc + rand() / (RAND_MAX + 1.f)) * edge,
                                      (c / nc % nc + rand() / (RAND_MAX + 1.f)) * edge,
                                      (c / nc / nc + rand() / (RAND_MAX + 1.f)) * edge, 0.f));
        start.push_back((int)pos.size());
    }
    int *dStart;
    float4 *dPos, *dForce;
    if (cudaMalloc(&dStart, start.size() * sizeof(int)) ||
        cudaMalloc(&dPos, pos.size() * sizeof(float4)) ||
        cudaMalloc(&dForce, pos.size() * sizeof(float4)))
        return 1;
    cudaMemcpy(dStart, start.data(), start.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dPos, pos.data(), pos.size() * sizeof(float4), cudaMemcpyHostToDevice);
    CellGrid g = {make_int3(nc, nc, nc), make_float3(edge, edge, edge), dStart};
    const float l = nc * edge;
    ljForces<<<nc * nc * nc, BLOCK>>>(g, dPos, dForce, edge * edge, make_float3(l, l, l));
    std::vector<float4> f(pos.size());
    cudaMemcpy(f.data(), dForce, f.size() * sizeof(float4), cudaMemcpyDeviceToHost);
    double e = 0;
    for (size_t i = 0; i < f.size(); ++i) e += 0.5 * f[i].w;
    printf("N = %zu, potential %g\n", f.size(), e);
    return 0;
}
