// Split hits and misses of a wavefront path tracer: a tile is halved by a predicate
// and each half appends to its own queue.
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cassert>

namespace cg = cooperative_groups;

struct Ray { float ox, oy, oz, dx, dy, dz; };

__device__ bool hitSphere(const Ray& r, float4 s, float& t)
{
    const float ox = r.ox - s.x, oy = r.oy - s.y, oz = r.oz - s.z;
    const float b = ox * r.dx + oy * r.dy + oz * r.dz;
    const float c = ox * ox + oy * oy + oz * oz - s.w * s.w;
    const float d = b * b - c;
    if (d < 0.f) return false;
    t = -b - sqrtf(d);
    return t > 1e-3f;
}

__global__ void __launch_bounds__(128)
classify(const Ray* __restrict__ rays, int n, float4 sphere, int* hitQ, int* missQ, int* counts, float* nearest)
{
    const auto block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<32>(block);
    const int rounded = (n + 31) / 32 * 32;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rounded; i += gridDim.x * blockDim.x) {
        const bool in = i < n;
        float t = 3e38f;
        bool hit = false;
        if (in) hit = hitSphere(rays[i], sphere, t);
        auto half = cg::binary_partition(tile, hit);
        if (hit) {
            int base = 0;
            if (half.thread_rank() == 0) base = atomicAdd(&counts[0], (int)half.size());
            base = half.shfl(base, 0);
            hitQ[base + half.thread_rank()] = i;
            const float m = cg::reduce(half, t, cg::less<float>());
            if (half.thread_rank() == 0) atomicMin((int*)nearest, __float_as_int(m));   // t > 0: bits are ordered
        } else {
            auto live = cg::binary_partition(half, in);
            if (in) {
                int base = 0;
                if (live.thread_rank() == 0) base = atomicAdd(&counts[1], (int)live.size());
                missQ[live.shfl(base, 0) + live.thread_rank()] = i;
            }
        }
        tile.sync();
    }
}

void classifyRays(const Ray* rays, int n, float4 sphere, int* hitQ, int* missQ, int* counts, float* nearest, cudaStream_t s)
{
    assert(n >= 0 && n < (1 << 30));
    const float big = 3e38f;
    cudaMemsetAsync(counts, 0, 2 * sizeof(int), s);
    cudaMemcpyAsync(nearest, &big, sizeof big, cudaMemcpyHostToDevice, s);
    cudaStreamSynchronize(s);
    if (n == 0) return;
    int grid = (n + 127) / 128;
    if (grid > 1000) grid = 1000;
    classify<<<grid, 128, 0, s>>>(rays, n, sphere, hitQ, missQ, counts, nearest);
}
