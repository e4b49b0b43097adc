// Warp aggregated bucket append with cooperative groups' labeled partition.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

struct Event {
    unsigned short detector;
    unsigned short flags;
    float energy;
    double time;
};

struct Buckets {
    Event*    slots;       // detectors * capacity
    unsigned* used;
    float*    energy;
    unsigned  capacity;
    unsigned  detectors;
};

__global__ void bin_events(const Event* __restrict__ ev, int n, Buckets b, unsigned* dropped)
{
    const cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
    const int stride = gridDim.x * blockDim.x;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i - (int)warp.thread_rank() < n; i += stride) {
        const bool in_range = i < n;
        Event e{};
        if (in_range) e = ev[i];
        const bool good = in_range && e.detector < b.detectors && (e.flags & 1u) == 0;

        const int label = good ? (int)e.detector : -1;
        const cg::coalesced_group mates = cg::labeled_partition(warp, label);
        const float sum = cg::reduce(mates, e.energy, cg::plus<float>());

        unsigned base = 0;
        if (mates.thread_rank() == 0 && good) {
            base = atomicAdd(&b.used[label], mates.size());
            atomicAdd(&b.energy[label], sum);
        }
        base = mates.shfl(base, 0);

        if (good) {
            const unsigned at = base + mates.thread_rank();
            if (at < b.capacity) b.slots[(size_t)label * b.capacity + at] = e;
            else                 atomicAdd(dropped, 1u);
        }
        warp.sync();
    }
}

cudaError_t sort_into_detectors(const Event* ev, int n, const Buckets& b, unsigned* dropped,
                                cudaStream_t s)
{
    cudaMemsetAsync(b.used, 0, b.detectors * sizeof(unsigned), s);
    cudaMemsetAsync(b.energy, 0, b.detectors * sizeof(float), s);
    cudaMemsetAsync(dropped, 0, sizeof(unsigned), s);
    if (n <= 0) return cudaSuccess;
    if (n > (1 << 30)) return cudaErrorInvalidValue;
    const int threads = 192;
    int blocks = (n + threads - 1) / threads;
    if (blocks > 640) blocks = 640;
    bin_events<<<blocks, threads, 0, s>>>(ev, n, b, dropped);
    return cudaGetLastError();
}
