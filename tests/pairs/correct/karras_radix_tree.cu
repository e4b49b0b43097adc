// Binary radix tree over sorted Morton codes (Karras 2012).
#include <cuda_runtime.h>
#include <cstdint>

struct RadixTree {
    int n;              // leaves 0 .. n-1, inner nodes 0 .. n-2
    int *left, *right;  // child number; leaves are stored as ~leaf
    int *parent_inner;
    int *parent_leaf;
    int2 *range;
};

__device__ inline int common_prefix(const uint32_t *code, int n, int i, int j)
{
    if (j < 0 || j >= n)
        return -1;
    uint32_t a = code[i], b = code[j];
    if (a == b)
        return 32 + __clz((uint32_t)i ^ (uint32_t)j);    // ties are broken by the index
    return __clz(a ^ b);
}

__global__ void buildInner(const uint32_t *__restrict__ code, RadixTree t)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= t.n - 1)
        return;
    const int d = common_prefix(code, t.n, i, i + 1) > common_prefix(code, t.n, i, i - 1) ? 1 : -1;
    const int min_prefix = common_prefix(code, t.n, i, i - d);
    int lmax = 2;
    while (common_prefix(code, t.n, i, i + lmax * d) > min_prefix)
        lmax *= 2;
    int l = 0;
    for (int s = lmax / 2; s >= 1; s /= 2)
        if (common_prefix(code, t.n, i, i + (l + s) * d) > min_prefix)
            l += s;
    const int j = i + l * d;

    const int node_prefix = common_prefix(code, t.n, i, j);
    int split = 0;
    for (int div = 2, s = (l + 1) / 2; ; div *= 2, s = (l + div - 1) / div) {
        if (common_prefix(code, t.n, i, i + (split + s) * d) > node_prefix)
            split += s;
        if (s <= 1)
            break;
    }
    const int gamma = i + split * d + min(d, 0);
    const int first = min(i, j), last = max(i, j);

    // Every node has exactly one parent in the tree, hence one writer.
    if (first == gamma) {
        t.left[i] = ~gamma;
        t.parent_leaf[gamma] = i;
    } else {
        t.left[i] = gamma;
        t.parent_inner[gamma] = i;
    }
    if (last == gamma + 1) {
        t.right[i] = ~(gamma + 1);
        t.parent_leaf[gamma + 1] = i;
    } else {
        t.right[i] = gamma + 1;
        t.parent_inner[gamma + 1] = i;
    }
    t.range[i] = make_int2(first, last);
}

__global__ void depthOfLeaf(RadixTree t, int *depth)
{
    const int leaf = blockIdx.x * blockDim.x + threadIdx.x;
    if (leaf >= t.n)
        return;
    int d = 1;
    for (int p = t.parent_leaf[leaf]; p != 0; p = t.parent_inner[p])
        ++d;
    depth[leaf] = d;
}

int build_radix_tree(const uint32_t *d_sorted_codes, RadixTree t, int *d_depth, cudaStream_t s)
{
    if (t.n < 2)
        return -1;
    const int tpb = 256;
    cudaMemsetAsync(t.parent_inner, 0xff, sizeof(int), s);
    buildInner<<<(t.n - 1 + tpb - 1) / tpb, tpb, 0, s>>>(d_sorted_codes, t);
    depthOfLeaf<<<(t.n + tpb - 1) / tpb, tpb, 0, s>>>(t, d_depth);
    return cudaGetLastError() == cudaSuccess ? 0 : -1;
}
