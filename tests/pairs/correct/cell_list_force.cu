// Short-range forces from cell lists; each warp stages its own cells in shared memory.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int WARPS = 4;

struct Cells {
    const int *begin;      // ncell + 1
    const float4 *pos;     // sorted by cell
    float4 *force;
    int ncell;
};

__device__ __forceinline__ float3 pair(float4 a, float4 b, float cut2)
{
    const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    const float r2 = x * x + y * y + z * z;
    const float s = (r2 < cut2 && r2 > 0.0f) ? b.w / (r2 + 0.1f) : 0.0f;
    return make_float3(s * x, s * y, s * z);
}

__global__ void __launch_bounds__(WARPS * 32) forces(Cells c, float cut2)
{
    __shared__ float4 stage[WARPS][32];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int cell = blockIdx.x * WARPS + warp;
    if (cell >= c.ncell)
        return;
    const int beg = c.begin[cell], end = c.begin[cell + 1];
    for (int own = beg; own < end; own += 32) {
        const bool live = own + lane < end;
        const float4 me = live ? c.pos[own + lane] : make_float4(0.f, 0.f, 0.f, 0.f);
        float3 f = make_float3(0.f, 0.f, 0.f);
        for (int nb = max(cell - 1, 0); nb <= min(cell + 1, c.ncell - 1); ++nb) {
            const int nend = c.begin[nb + 1];
            for (int j0 = c.begin[nb]; j0 < nend; j0 += 32) {
                if (j0 + lane < nend)
                    stage[warp][lane] = c.pos[j0 + lane];
                __syncwarp();
                const int m = min(32, nend - j0);
                for (int j = 0; j < m; ++j) {
                    const float3 g = pair(me, stage[warp][j], cut2);
                    f.x += g.x;
                    f.y += g.y;
                    f.z += g.z;
                }
                __syncwarp();
            }
        }
        if (live)
            c.force[own + lane] = make_float4(f.x, f.y, f.z, 0.0f);
    }
}

int main()
{
    const int ncell = 501;
    std::vector<int> beg(ncell + 1, 0);
    for (int i = 0; i < ncell; ++i)
        beg[i + 1] = beg[i] + (i * 23) % 71;
    const int n = beg[ncell];
    int *db;
    float4 *pos, *force;
    cudaMalloc(&db, beg.size() * sizeof(int));
    cudaMalloc(&pos, n * sizeof(float4));
    cudaMalloc(&force, n * sizeof(float4));
    cudaMemcpy(db, beg.data(), beg.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(pos, 0, n * sizeof(float4));
    forces<<<(ncell + WARPS - 1) / WARPS, WARPS * 32>>>(Cells{db, pos, force, ncell}, 1.0f);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
