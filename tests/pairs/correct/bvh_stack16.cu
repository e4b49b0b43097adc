// Range counting in a 16-ary box hierarchy; a tile of 16 lanes per query.
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <algorithm>

namespace cg = cooperative_groups;

constexpr int kWidth = 16;
constexpr int kBlock = 128;
constexpr int kGroups = kBlock / kWidth;
constexpr int kDepth = 8;
constexpr int kStack = kDepth * kWidth;

struct Box {
    float2 lo, hi;
};

struct Hierarchy {
    const Box *boxes;     // 16 per inner node
    const int *children;  // >= 0: inner node, -1: absent, < -1: leaf with -2 - value points
    int height;
};

__device__ bool overlap(const Box &a, const Box &b)
{
    return a.lo.x <= b.hi.x && b.lo.x <= a.hi.x && a.lo.y <= b.hi.y && b.lo.y <= a.hi.y;
}

__global__ void __launch_bounds__(kBlock)
count_overlaps(Hierarchy h, const Box *queries, int n, int *counts)
{
    __shared__ int stacks[kGroups][kStack];
    auto tile = cg::tiled_partition<kWidth>(cg::this_thread_block());
    const int g = threadIdx.x / kWidth;
    int *stack = stacks[g];
    const int rank = tile.thread_rank();

    for (int q = blockIdx.x * kGroups + g; q < n; q += gridDim.x * kGroups) {
        const Box box = queries[q];
        int found = 0;
        int top = 1;
        if (rank == 0)
            stack[0] = 0;
        tile.sync();
        while (top > 0) {
            const int node = stack[--top];
            const int child = h.children[node * kWidth + rank];
            const bool hit = child != -1 && overlap(h.boxes[node * kWidth + rank], box);
            if (hit && child < -1)
                found += -2 - child;
            const unsigned inner = tile.ballot(hit && child >= 0);
            // the ballot only exchanges values; order the reads of the stack before the pushes
            tile.sync();
            if (hit && child >= 0)
                stack[top + __popc(inner & ((1u << rank) - 1))] = child;
            top += __popc(inner);
            tile.sync();
        }
        for (int d = kWidth / 2; d; d /= 2)
            found += tile.shfl_down(found, d);
        if (rank == 0)
            counts[q] = found;
    }
}

int overlaps(const Hierarchy &h, const Box *queries, int n, int *counts, cudaStream_t stream)
{
    if (n < 0 || h.height < 1 || h.height > kDepth)
        return -1;  // a deeper hierarchy could overflow the stack
    if (n == 0)
        return 0;
    const int grid = std::min((n - 1) / kGroups + 1, 2048);
    count_overlaps<<<grid, kBlock, 0, stream>>>(h, queries, n, counts);
    return cudaGetLastError() == cudaSuccess ? 0 : -2;
}
