// Short-range pair forces with a cell list, one cell per block. Build: nvcc -arch=sm_80
#include <cuda_runtime.h>
#include <cstdio>

namespace md {

constexpr int kThreads = 64;

struct CellGrid {
    int3 dims;
    const int* start; // dims.x*dims.y*dims.z + 1 entries, particles sorted by cell
    __device__ int index(int x, int y, int z) const { return (z * dims.y + y) * dims.x + x; }
    __device__ int3 coords(int c) const
    {
        return make_int3(c % dims.x, c / dims.x % dims.y, c / (dims.x * dims.y));
    }
    __device__ bool valid(int x, int y, int z) const
    {
        return x >= 0 && y >= 0 && z >= 0 && x < dims.x && y < dims.y && z < dims.z;
    }
};

struct LennardJones {
    float eps, sigma2, cut2;
    __device__ float scale(float r2) const
    {
        const float s2 = sigma2 / r2;
        const float s6 = s2 * s2 * s2;
        return 24.0f * eps * (2.0f * s6 * s6 - s6) / r2;
    }
};

template <class Potential>
__device__ void addPair(float3& f, const float4& a, const float4& b, const Potential& pot)
{
    const float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
    const float r2 = dx * dx + dy * dy + dz * dz;
    if (r2 < pot.cut2 && r2 > 0.f) {
        const float s = pot.scale(r2);
        f.x += s * dx;
        f.y += s * dy;
        f.z += s * dz;
    }
}

template <class Potential>
__global__ void __launch_bounds__(kThreads)
cellForces(CellGrid cells, const float4* __restrict__ pos, float4* __restrict__ force,
           Potential pot)
{
    __shared__ float4 s_pos[kThreads];
    const int home = blockIdx.x;
    const int3 hc = cells.coords(home);
    const int first = cells.start[home];
    const int last = cells.start[home + 1];

    for (int tile = first; tile < last; tile += kThreads) {
        const int i = tile + threadIdx.x;
        const float4 me = pos[min(i, last - 1)];
        float3 f = make_float3(0.f, 0.f, 0.f);
        for (int nb = 0; nb < 27; ++nb) {
            const int x = hc.x + nb % 3 - 1;
            const int y = hc.y + nb / 3 % 3 - 1;
            const int z = hc.z + nb / 9 - 1;
            if (!cells.valid(x, y, z))
                continue;
            const int c = cells.index(x, y, z);
            const int cEnd = cells.start[c + 1];
            for (int j0 = cells.start[c]; j0 < cEnd; j0 += kThreads) {
                const int cnt = min(kThreads, cEnd - j0);
                if (int(threadIdx.x) < cnt)
                    s_pos[threadIdx.x] = pos[j0 + threadIdx.x];
                __syncthreads();
                for (int k = 0; k < cnt; ++k)
                    addPair(f, me, s_pos[k], pot);
                __syncthreads();
            }
        }
        if (i < last)
            force[i] = make_float4(f.x, f.y, f.z, 0.f);
    }
}

cudaError_t ljForces(CellGrid cells, const float4* pos, float4* force, float eps, float sigma,
                     float cutoff, cudaStream_t s)
{
    const int n = cells.dims.x * cells.dims.y * cells.dims.z;
    if (n <= 0)
        return cudaSuccess;
    LennardJones lj{eps, sigma * sigma, cutoff * cutoff};
    cellForces<<<n, kThreads, 0, s>>>(cells, pos, force, lj);
    return cudaGetLastError();
}

} // namespace md
