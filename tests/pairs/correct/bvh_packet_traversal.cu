// Packet traversal of a binary BVH: one stack per warp in shared memory, the vote of
// the warp decides which children are pushed.
#include <cuda_runtime.h>
#include <cassert>

struct Node { float lo[3]; int left; float hi[3]; int right; };   // leaf: left < 0, ~left is the primitive

constexpr int DEPTH = 48;
constexpr int WARPS = 4;

__device__ bool slab(const Node& n, float3 o, float3 inv, float tmax)
{
    float t0 = 0.f, t1 = tmax;
    float a = (n.lo[0] - o.x) * inv.x, b = (n.hi[0] - o.x) * inv.x;
    t0 = fmaxf(t0, fminf(a, b)); t1 = fminf(t1, fmaxf(a, b));
    a = (n.lo[1] - o.y) * inv.y; b = (n.hi[1] - o.y) * inv.y;
    t0 = fmaxf(t0, fminf(a, b)); t1 = fminf(t1, fmaxf(a, b));
    a = (n.lo[2] - o.z) * inv.z; b = (n.hi[2] - o.z) * inv.z;
    t0 = fmaxf(t0, fminf(a, b)); t1 = fminf(t1, fmaxf(a, b));
    return t0 <= t1;
}

__global__ void __launch_bounds__(WARPS * 32)
traverse(const Node* __restrict__ nodes, const float3* __restrict__ org, const float3* __restrict__ dir, int n, int* __restrict__ hits)
{
    __shared__ int stacks[WARPS][DEPTH];
    int* stack = stacks[threadIdx.x >> 5];
    const int lane = threadIdx.x & 31;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool live = i < n;
    const float3 o = live ? org[i] : make_float3(0, 0, 0);
    const float3 d = live ? dir[i] : make_float3(1, 1, 1);
    const float3 inv = make_float3(1.f / d.x, 1.f / d.y, 1.f / d.z);
    int count = 0;

    int sp = 0;                 // same value in all lanes
    if (lane == 0) stack[0] = 0;
    sp = 1;
    __syncwarp();
    while (sp > 0) {
        const int id = stack[--sp];
        __syncwarp();           // read by all before a push may overwrite it
        const Node nd = nodes[id];
        const bool in = live && slab(nd, o, inv, 1e30f);
        if (!__any_sync(0xffffffffu, in)) continue;
        if (nd.left < 0) {
            count += in;
        } else if (sp + 2 <= DEPTH) {
            if (lane < 2) stack[sp + lane] = lane ? nd.right : nd.left;
            sp += 2;
            __syncwarp();
        }
    }
    if (live) hits[i] = count;
}

void traceHits(const Node* nodes, const float3* o, const float3* d, int n, int* hits, cudaStream_t s)
{
    assert(nodes && n >= 0 && n < (1 << 30));
    if (n == 0) return;
    traverse<<<(n + WARPS * 32 - 1) / (WARPS * 32), WARPS * 32, 0, s>>>(nodes, o, d, n, hits);
}
