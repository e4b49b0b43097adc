// Warp-aggregated counter increments from divergent code.
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <cassert>

namespace cg = cooperative_groups;

template <typename Int>
__device__ Int aggInc(Int* ctr)
{
    auto g = cg::coalesced_threads();
    Int prev = 0;
    if (g.thread_rank() == 0) prev = atomicAdd(ctr, (Int)g.size());
    return g.shfl(prev, 0) + (Int)g.thread_rank();
}

struct Particle { float x, y, z; int cell; };

__global__ void __launch_bounds__(256)
routeParticles(const Particle* __restrict__ in, int n, float lo, float hi, Particle* __restrict__ keep,
               Particle* __restrict__ sendL, Particle* __restrict__ sendR, int* counters)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const Particle p = in[i];
    if (p.x < lo) {
        sendL[aggInc(&counters[1])] = p;
    } else if (p.x >= hi) {
        sendR[aggInc(&counters[2])] = p;
    } else {
        if (p.cell < 0) return;         // deleted
        keep[aggInc(&counters[0])] = p;
    }
}

void route(const Particle* in, int n, float lo, float hi, Particle* keep, Particle* l, Particle* r, int* counters, cudaStream_t s)
{
    assert(lo < hi && n >= 0 && n < (1 << 30));
    // three distinct output arrays, each of n records
    assert(keep != l && l != r && keep != r && in != keep && in != l && in != r);
    cudaMemsetAsync(counters, 0, 3 * sizeof(int), s);
    if (n == 0) return;
    routeParticles<<<(n + 255) / 256, 256, 0, s>>>(in, n, lo, hi, keep, l, r, counters);
}

int main()
{
    const int n = 100001;
    Particle* a; int* c;
    cudaMalloc(&a, 4 * n * sizeof(Particle));
    cudaMalloc(&c, 3 * sizeof(int));
    cudaMemset(a, 0, 4 * n * sizeof(Particle));
    route(a, n, -1.f, 1.f, a + n, a + 2 * n, a + 3 * n, c, 0);
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(c);
    return 0;
}
