// Bottom-up refit of a binary radix tree (Karras 2012): the first child to arrive
// stops, the second one merges both boxes and goes on.
#include <cuda_runtime.h>
#include <stdexcept>

struct Box { float3 lo, hi; };

__device__ __forceinline__ Box merge(const Box& a, const Box& b)
{
    return Box{make_float3(fminf(a.lo.x, b.lo.x), fminf(a.lo.y, b.lo.y), fminf(a.lo.z, b.lo.z)),
               make_float3(fmaxf(a.hi.x, b.hi.x), fmaxf(a.hi.y, b.hi.y), fmaxf(a.hi.z, b.hi.z))};
}

__device__ __forceinline__ Box loadBox(const Box* b)
{
    // bypass L1: the box may come from another SM
    const float* f = reinterpret_cast<const float*>(b);
    return Box{make_float3(__ldcg(f), __ldcg(f + 1), __ldcg(f + 2)), make_float3(__ldcg(f + 3), __ldcg(f + 4), __ldcg(f + 5))};
}

// Nodes 0..n-2 are internal, n-1..2n-2 are leaves; parent[0] == -1.
__global__ void __launch_bounds__(256)
refit(const int2* __restrict__ children, const int* __restrict__ parent, const Box* __restrict__ prims, Box* boxes,
      unsigned* visits, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int node = n - 1 + i;
    Box box = prims[i];
    boxes[node] = box;
    for (;;) {
        const int p = parent[node];
        if (p < 0) break;
        __threadfence();                        // my box before my arrival
        if (atomicAdd(&visits[p], 1u) == 0u) break;
        __threadfence();                        // sibling's arrival before its box
        const int2 c = children[p];
        const int sibling = c.x == node ? c.y : c.x;
        box = merge(box, loadBox(&boxes[sibling]));
        boxes[p] = box;
        node = p;
    }
}

void refitTree(const int2* children, const int* parent, const Box* prims, Box* boxes, unsigned* visits, int n, cudaStream_t s)
{
    if (n < 1 || n > (1 << 28)) throw std::invalid_argument("refitTree");
    static_assert(sizeof(Box) == 24, "");
    if (n > 1) cudaMemsetAsync(visits, 0, (n - 1) * sizeof(unsigned), s);
    refit<<<(n + 255) / 256, 256, 0, s>>>(children, parent, prims, boxes, visits, n);
}

int main()
{
    // 3 leaves: nodes 0 (root), 1 internal; 2, 3, 4 leaves
    const int2 hc[2] = {{1, 4}, {2, 3}};
    const int hp[5] = {-1, 0, 1, 1, 0};
    int2* c; int* p; Box *prim, *box; unsigned* v;
    cudaMalloc(&c, sizeof hc); cudaMalloc(&p, sizeof hp);
    cudaMalloc(&prim, 3 * sizeof(Box)); cudaMalloc(&box, 5 * sizeof(Box)); cudaMalloc(&v, 8);
    cudaMemcpy(c, hc, sizeof hc, cudaMemcpyHostToDevice);
    cudaMemcpy(p, hp, sizeof hp, cudaMemcpyHostToDevice);
    cudaMemset(prim, 0, 3 * sizeof(Box));
    refitTree(c, p, prim, box, v, 3, 0);
    cudaDeviceSynchronize();
    cudaFree(c); cudaFree(p); cudaFree(prim); cudaFree(box); cudaFree(v);
    return 0;
}
