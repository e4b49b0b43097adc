// Broad-phase contacts: candidate pairs from a cell grid, filtered by distance
// and appended to the contact list with one atomic per group of lanes.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdio>

namespace cg = cooperative_groups;

struct Body {
    float3 pos;
    float radius;
    int group;
};

struct Contact {
    int a, b;
    float depth;
};

struct ContactList {
    Contact* items;
    int* count;
    int capacity;
};

struct CellGrid {
    const int* start;   // [cells + 1]
    const int* bodies;  // sorted by cell
    int3 dim;
    float3 origin;
    float inv_cell;
};

__device__ __forceinline__ int aggregated_add(int* counter, unsigned mask)
{
    const unsigned lane = threadIdx.x & 31;
    const int leader = __ffs(mask) - 1;
    int base = 0;
    if ((int)lane == leader) base = atomicAdd(counter, __popc(mask));
    base = __shfl_sync(mask, base, leader);
    return base + __popc(mask & ((1u << lane) - 1));
}

__device__ __forceinline__ bool overlap(const Body& a, const Body& b, float margin, float& depth)
{
    const float dx = a.pos.x - b.pos.x, dy = a.pos.y - b.pos.y, dz = a.pos.z - b.pos.z;
    const float r = a.radius + b.radius + margin;
    const float d2 = dx * dx + dy * dy + dz * dz;
    if (d2 >= r * r) return false;
    depth = r - sqrtf(d2);
    return true;
}

template <bool SELF_GROUP>
__device__ void scan_cell(int i, const Body& me, const Body* bodies, const CellGrid& g, int cell, float margin,
                          const ContactList& out)
{
    for (int k = g.start[cell]; k < g.start[cell + 1]; ++k) {
        const int j = g.bodies[k];
        if (j <= i) continue;
        const Body other = bodies[j];
        if (!SELF_GROUP && other.group == me.group) continue;
        const unsigned mask = __activemask();
        float depth;
        if (overlap(me, other, margin, depth)) {
            const int slot = aggregated_add(out.count, mask);
            if (slot < out.capacity) out.items[slot] = {i, j, depth};
        }
    }
}

template <bool SELF_GROUP>
__global__ void find_contacts(const Body* bodies, int n, CellGrid g, float margin, ContactList out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const Body me = bodies[i];
    const int cx = (int)((me.pos.x - g.origin.x) * g.inv_cell);
    const int cy = (int)((me.pos.y - g.origin.y) * g.inv_cell);
    const int cz = (int)((me.pos.z - g.origin.z) * g.inv_cell);
    for (int z = max(cz - 1, 0); z <= min(cz + 1, g.dim.z - 1); ++z)
        for (int y = max(cy - 1, 0); y <= min(cy + 1, g.dim.y - 1); ++y)
            for (int x = max(cx - 1, 0); x <= min(cx + 1, g.dim.x - 1); ++x)
                scan_cell<SELF_GROUP>(i, me, bodies, g, (z * g.dim.y + y) * g.dim.x + x, margin, out);
}

__global__ void clamp_count(int* count, int capacity)
{
    const auto grid = cg::this_grid();
    if (grid.thread_rank() == 0) *count = min(*count, capacity);
}

class BroadPhase {
public:
    explicit BroadPhase(int capacity)
    {
        list_.capacity = capacity;
        cudaMalloc(&list_.items, capacity * sizeof(Contact));
        cudaMalloc(&list_.count, sizeof(int));
    }
    ~BroadPhase()
    {
        cudaFree(list_.items);
        cudaFree(list_.count);
    }
    int run(const Body* bodies, int n, const CellGrid& g, float margin, bool self, cudaStream_t s)
    {
        cudaMemsetAsync(list_.count, 0, sizeof(int), s);
        const int blocks = (n + 127) / 128;
        if (blocks > 0) {
            if (self) find_contacts<true><<<blocks, 128, 0, s>>>(bodies, n, g, margin, list_);
            else find_contacts<false><<<blocks, 128, 0, s>>>(bodies, n, g, margin, list_);
        }
        clamp_count<<<1, 1, 0, s>>>(list_.count, list_.capacity);
        int c = 0;
        cudaMemcpyAsync(&c, list_.count, sizeof(int), cudaMemcpyDeviceToHost, s);
        return cudaStreamSynchronize(s) == cudaSuccess ? c : -1;
    }
    const Contact* contacts() const { return list_.items; }

private:
    ContactList list_;
};

int main()
{
    BroadPhase bp(1024);
    CellGrid g = {nullptr, nullptr, {0, 0, 0}, {0.f, 0.f, 0.f}, 1.f};
    printf("%d contacts\n", bp.run(nullptr, 0, g, 0.f, true, 0));
    return 0;
}
