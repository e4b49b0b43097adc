// Stream filter: ballot + rank inside the warp, one atomic per warp for the base.
#include <cuda_runtime.h>

struct Particle {
    float3 pos;
    float3 vel;
    int    id;
    float  age;
};

struct AliveAfter {
    float dt, limit;
    __device__ bool operator()(const Particle& p) const { return p.age + dt < limit; }
};

__device__ __forceinline__ unsigned lanemask_lt()
{
    unsigned m;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(m));
    return m;
}

template <class Pred>
__global__ void compact_particles(const Particle* __restrict__ in, int n,
                                  Particle* __restrict__ out, int* __restrict__ count,
                                  Pred keep_if, float dt)
{
    const int lane = threadIdx.x & 31;
    const int rounded = (n + 31) & ~31;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rounded; i += gridDim.x * blockDim.x) {
        Particle p;
        bool keep = false;
        if (i < n) {
            p = in[i];
            keep = keep_if(p);
        }
        const unsigned ballot = __ballot_sync(0xffffffffu, keep);
        if (ballot == 0) continue;                  // same answer in all lanes

        const int leader = __ffs(ballot) - 1;
        int base = 0;
        if (lane == leader) base = atomicAdd(count, __popc(ballot));
        base = __shfl_sync(0xffffffffu, base, leader);

        if (keep) {
            p.pos.x += p.vel.x * dt;
            p.pos.y += p.vel.y * dt;
            p.pos.z += p.vel.z * dt;
            p.age += dt;
            out[base + __popc(ballot & lanemask_lt())] = p;
        }
    }
}

int step_particles(const Particle* in, int n, Particle* out, int* d_count, float dt, float limit,
                   cudaStream_t s)
{
    int h = 0;
    cudaMemsetAsync(d_count, 0, sizeof(int), s);
    if (n > 0) {
        int blocks = (n + 255) / 256;
        if (blocks > 1 << 12) blocks = 1 << 12;
        compact_particles<<<blocks, 256, 0, s>>>(in, n, out, d_count, AliveAfter{dt, limit}, dt);
    }
    cudaMemcpyAsync(&h, d_count, sizeof(int), cudaMemcpyDeviceToHost, s);
    cudaStreamSynchronize(s);
    return h;
}
