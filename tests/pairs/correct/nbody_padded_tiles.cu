// All-pairs gravity; the interaction loop runs over tiles of bodies and the tail
// tile is padded with massless bodies, so that every thread meets every barrier.
#include <cuda_runtime.h>
#include <cstdio>

#define TILE_LOADED() __syncthreads()
#define TILE_DONE()   __syncthreads()

template <int B>
struct Tile {
    float4* cells;
    __device__ void load(const float4* __restrict__ pos, int j, int n) const
    {
        cells[threadIdx.x] = j < n ? pos[j] : make_float4(0.f, 0.f, 0.f, 0.f);
    }
    __device__ float3 interact(float4 me, float3 a, float eps2) const
    {
        #pragma unroll 8
        for (int j = 0; j < B; ++j) {
            const float4 q = cells[j];
            const float dx = q.x - me.x, dy = q.y - me.y, dz = q.z - me.z;
            const float r = rsqrtf(dx * dx + dy * dy + dz * dz + eps2);
            const float f = q.w * r * r * r;
            a.x += dx * f; a.y += dy * f; a.z += dz * f;
        }
        return a;
    }
};

template <int B>
__global__ void accelerations(const float4* __restrict__ pos, float4* __restrict__ acc, int n, float eps2)
{
    __shared__ float4 cells[B];
    const Tile<B> tile{cells};
    const int i = blockIdx.x * B + threadIdx.x;
    const bool live = i < n;
    const float4 me = live ? pos[i] : make_float4(0.f, 0.f, 0.f, 0.f);
    float3 a = make_float3(0.f, 0.f, 0.f);
    for (int j0 = 0; j0 < n; j0 += B) {
        tile.load(pos, j0 + threadIdx.x, n);
        TILE_LOADED();
        if (live) a = tile.interact(me, a, eps2);
        TILE_DONE();
    }
    if (live) acc[i] = make_float4(a.x, a.y, a.z, 0.f);
}

__global__ void kick(float4* pos, float4* vel, const float4* __restrict__ acc, int n, float dt)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float4 v = vel[i], p = pos[i];
        const float4 a = acc[i];
        v.x += a.x * dt; v.y += a.y * dt; v.z += a.z * dt;
        p.x += v.x * dt; p.y += v.y * dt; p.z += v.z * dt;
        vel[i] = v;
        pos[i] = p;
    }
}

void step(float4* pos, float4* vel, float4* acc, int n, float dt, int steps)
{
    if (n <= 0 || n > (1 << 24)) { fprintf(stderr, "n\n"); return; }
    for (int s = 0; s < steps; ++s) {
        if (n < 2048) accelerations<64><<<(n + 63) / 64, 64>>>(pos, acc, n, 1e-4f);
        else accelerations<256><<<(n + 255) / 256, 256>>>(pos, acc, n, 1e-4f);
        kick<<<64, 256>>>(pos, vel, acc, n, dt);
    }
}

int main()
{
    const int n = 5000;
    float4* m;
    cudaMalloc(&m, 3 * n * sizeof(float4));
    cudaMemset(m, 0, 3 * n * sizeof(float4));
    step(m, m + n, m + 2 * n, n, 0.01f, 3);
    cudaDeviceSynchronize();
    cudaFree(m);
    return 0;
}
