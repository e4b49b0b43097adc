// Look-up in a read-only B-tree with 16 keys a node; half a warp for a query.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>

constexpr int kFan = 16;
constexpr uint32_t kNone = 0xffffffffu;

struct Node {
    uint32_t key[kFan];        // ascending, padded with kNone
    uint32_t child[kFan + 1];  // inner: node index; leaf: payload
    uint32_t is_leaf;
};

class BTree {
  public:
    BTree(const Node *nodes, uint32_t root) : nodes_(nodes), root_(root) {}

    // Called by all 16 lanes of a half-warp with the same query.
    __device__ uint32_t find(uint32_t query) const
    {
        const unsigned lane = threadIdx.x & 31u;
        const unsigned base = lane & 16u;
        const unsigned half = 0xffffu << base;
        const int sub = lane & 15;
        uint32_t at = root_;
        for (;;) {
            const Node &node = nodes_[at];
            const uint32_t key = node.key[sub];
            if (node.is_leaf) {
                const unsigned hit = (__ballot_sync(half, key == query) >> base) & 0xffffu;
                if (hit == 0)
                    return kNone;
                return node.child[__ffs(hit) - 1];
            }
            const unsigned below = (__ballot_sync(half, key <= query) >> base) & 0xffffu;
            at = node.child[__popc(below)];
        }
    }

  private:
    const Node *nodes_;
    uint32_t root_;
};

__global__ void find_all(BTree tree, const uint32_t *queries, uint32_t *found, int n)
{
    const int group = (blockIdx.x * blockDim.x + threadIdx.x) / kFan;
    const int groups = gridDim.x * blockDim.x / kFan;
    for (int q = group; q < n; q += groups) {
        const uint32_t key = queries[q];
        const uint32_t value = key == kNone ? kNone : tree.find(key);
        if ((threadIdx.x & 15) == 0)
            found[q] = value;
    }
}

int lookup(const Node *nodes, uint32_t root, const uint32_t *queries, uint32_t *found, int n)
{
    if (n <= 0 || !nodes || !queries || !found)
        return n == 0 ? 0 : 1;
    int grid = (n + 15) / 16;
    if (grid > 2048)
        grid = 2048;
    find_all<<<grid, 256>>>(BTree(nodes, root), queries, found, n);
    if (cudaGetLastError() != cudaSuccess) {
        std::fprintf(stderr, "lookup: launch failed\n");
        return 2;
    }
    return 0;
}
