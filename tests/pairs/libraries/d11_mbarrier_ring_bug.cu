// Particle-in-cell charge deposition on a periodic 1D grid: a producer warp
// gathers sorted particle records into a ring, consumer warps deposit them.
#include <cuda_runtime.h>

#include <cstdint>
#include <stdexcept>

namespace pic {

constexpr int kConsumerWarps = 4;
constexpr int kConsumers = 32 * kConsumerWarps;
constexpr int kThreads = kConsumers + 32;
constexpr int kBatch = 256;

struct Particles {
    const int* order;
    const float* x;
    const float* w;
    int n;
};

__device__ __forceinline__ uint32_t sptr(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

__device__ __forceinline__ void bar_init(uint64_t* b, uint32_t count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(sptr(b)), "r"(count) : "memory");
}
__device__ __forceinline__ void bar_arrive(uint64_t* b)
{
    asm volatile("{ .reg .b64 t; mbarrier.arrive.shared::cta.b64 t, [%0]; }" ::"r"(sptr(b)) : "memory");
}
__device__ __forceinline__ bool bar_test(uint64_t* b, uint32_t parity)
{
    uint32_t ok;
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
        : "=r"(ok)
        : "r"(sptr(b)), "r"(parity)
        : "memory");
    return ok != 0;
}
__device__ __forceinline__ void bar_wait(uint64_t* b, uint32_t parity)
{
    while (!bar_test(b, parity)) {
    }
}

template <int DEPTH>
struct Ring {
    float x[DEPTH][kBatch];
    float w[DEPTH][kBatch];
    int count[DEPTH];
    uint64_t full[DEPTH];
    uint64_t empty[DEPTH];

    __device__ void init()
    {
        for (int i = 0; i < DEPTH; ++i) {
            bar_init(full + i, 32);
            bar_init(empty + i, kConsumerWarps);
        }
    }
};

template <int DEPTH>
struct Cursor {
    int slot = 0;
    uint32_t phase;
    __device__ explicit Cursor(uint32_t p) : phase(p) {}
    __device__ void advance()
    {
        if (++slot == DEPTH) {
            slot = 0;
            phase ^= 1u;
        }
    }
};

template <int DEPTH>
__device__ void gather(Ring<DEPTH>& r, const Particles& p)
{
    const int lane = threadIdx.x - kConsumers;
    Cursor<DEPTH> c(1u);  // all slots start out empty
    for (int first = blockIdx.x * kBatch; first < p.n; first += gridDim.x * kBatch, c.advance()) {
        bar_wait(r.empty + c.slot, c.phase);
        const int cnt = min(kBatch, p.n - first);
        for (int i = lane; i < cnt; i += 32) {
            const int k = p.order[first + i];
            r.x[c.slot][i] = p.x[k];
            r.w[c.slot][i] = p.w[k];
        }
        if (lane == 0) r.count[c.slot] = cnt;
        bar_arrive(r.full + c.slot);
    }
}

template <int ORDER>
__device__ __forceinline__ void deposit(float* rho, int cells, float inv_dx, float x, float w)
{
    const float u = x * inv_dx;
    const int i = (int)floorf(u);
    const float f = u - i;
    if (ORDER == 0) {
        atomicAdd(rho + (i % cells + cells) % cells, w);
    } else {
        atomicAdd(rho + (i % cells + cells) % cells, w * (1.f - f));
        atomicAdd(rho + ((i + 1) % cells + cells) % cells, w * f);
    }
}

template <int DEPTH, int ORDER>
__device__ void consume(Ring<DEPTH>& r, const Particles& p, float* rho, int cells, float inv_dx)
{
    Cursor<DEPTH> c(0u);
    for (int first = blockIdx.x * kBatch; first < p.n; first += gridDim.x * kBatch, c.advance()) {
        bar_wait(r.full + c.slot, c.phase);
        const int cnt = r.count[c.slot];
        for (int i = threadIdx.x; i < cnt; i += kConsumers)
            deposit<ORDER>(rho, cells, inv_dx, r.x[c.slot][i], r.w[c.slot][i]);
        bar_arrive(r.empty + c.slot);
    }
}

template <int DEPTH, int ORDER>
__global__ void __launch_bounds__(kThreads) deposit_kernel(Particles p, float* rho, int cells, float inv_dx)
{
    __shared__ Ring<DEPTH> ring;
    if (threadIdx.x == 0) ring.init();
    __syncthreads();
    if (threadIdx.x >= kConsumers) gather(ring, p);
    else consume<DEPTH, ORDER>(ring, p, rho, cells, inv_dx);
}

void charge_density(const Particles& p, float* rho, int cells, float dx, int order, cudaStream_t s)
{
    if (cells < 2) throw std::invalid_argument("charge_density: cells");
    cudaMemsetAsync(rho, 0, cells * sizeof(float), s);
    if (p.n == 0) return;
    const int batches = (p.n + kBatch - 1) / kBatch;
    const int blocks = batches < 264 ? batches : 264;
    if (order == 0) deposit_kernel<4, 0><<<blocks, kThreads, 0, s>>>(p, rho, cells, 1.f / dx);
    else deposit_kernel<3, 1><<<blocks, kThreads, 0, s>>>(p, rho, cells, 1.f / dx);
    if (cudaGetLastError() != cudaSuccess) throw std::runtime_error("charge_density");
}

}  // namespace pic
