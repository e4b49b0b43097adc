// All-pairs gravity with tiled source bodies. Build: nvcc -arch=sm_80
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

namespace nbody {

constexpr int kBlock = 128;

struct Accel {
    float x, y, z;
    float soft2;

    __device__ explicit Accel(float s2) : x(0), y(0), z(0), soft2(s2) {}

    __device__ void interact(const float4& me, const float4& src)
    {
        const float dx = src.x - me.x;
        const float dy = src.y - me.y;
        const float dz = src.z - me.z;
        const float r2 = dx * dx + dy * dy + dz * dz + soft2;
        const float inv = rsqrtf(r2);
        const float f = src.w * inv * inv * inv;
        x += f * dx;
        y += f * dy;
        z += f * dz;
    }
};

template <int BUFS>
class SourceTiles {
public:
    __device__ SourceTiles(float4* mem, const float4* g, int n) : mem_(mem), g_(g), n_(n) {}

    __device__ void stage(int t)
    {
        const int j = t * kBlock + threadIdx.x;
        slot(t)[threadIdx.x] = j < n_ ? g_[j] : make_float4(0.f, 0.f, 0.f, 0.f);
    }

    __device__ float4* slot(int t) const { return mem_ + (t % BUFS) * kBlock; }

private:
    float4* mem_;
    const float4* g_;
    int n_;
};

template <int BUFS>
__global__ void __launch_bounds__(kBlock)
forces(const float4* __restrict__ pos, float4* __restrict__ acc, int n, float soft2)
{
    extern __shared__ float4 smem[];
    const int i = blockIdx.x * kBlock + threadIdx.x;
    const float4 me = pos[min(i, n - 1)];
    SourceTiles<BUFS> tiles(smem, pos, n);
    Accel a(soft2);
    const int ntiles = (n + kBlock - 1) / kBlock;
    for (int t = 0; t < ntiles; ++t) {
        tiles.stage(t);
        __syncthreads();
        const float4* src = tiles.slot(t);
#pragma unroll 8
        for (int k = 0; k < kBlock; ++k)
            a.interact(me, src[k]);
    }
    if (i < n)
        acc[i] = make_float4(a.x, a.y, a.z, 0.f);
}

template <int BUFS>
static void launch(const float4* pos, float4* acc, int n, float eps, cudaStream_t s)
{
    const int grid = (n + kBlock - 1) / kBlock;
    const size_t bytes = size_t(BUFS) * kBlock * sizeof(float4);
    forces<BUFS><<<grid, kBlock, bytes, s>>>(pos, acc, n, eps * eps);
}

cudaError_t computeForces(const float4* pos, float4* acc, int n, float eps,
                          bool lowMemory, cudaStream_t s)
{
    if (n <= 0)
        return cudaSuccess;
    if (lowMemory)
        launch<1>(pos, acc, n, eps, s);
    else
        launch<2>(pos, acc, n, eps, s);
    return cudaGetLastError();
}

} // namespace nbody
