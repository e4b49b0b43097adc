// Gather with deep prefetch: every thread copies into, and reads from, its own shared slots only.
#include <cstdio>
#include <cuda_runtime.h>

constexpr int BLOCK = 128;
constexpr int DEPTH = 4;

__device__ __forceinline__ void cp16(void *dst, const void *src)
{
    const unsigned s = (unsigned)__cvta_generic_to_shared(dst);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(s), "l"(src) : "memory");
}
__device__ __forceinline__ void cp_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N> __device__ __forceinline__ void cp_wait() { asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory"); }

struct Bag { const float4 *table; const int *index; const int *offset; float4 *out; int bags; };

// thread = one bag of embedding rows (one float4 per row)
__global__ void __launch_bounds__(BLOCK) bag_sum(Bag b)
{
    __shared__ float4 slot[DEPTH][BLOCK];
    const int bag = blockIdx.x * BLOCK + threadIdx.x;
    if (bag >= b.bags)
        return;
    const int beg = b.offset[bag], len = b.offset[bag + 1] - beg;
    int issued = 0;
    for (; issued < DEPTH - 1; ++issued) {
        if (issued < len)
            cp16(&slot[issued][threadIdx.x], b.table + b.index[beg + issued]);
        cp_commit();
    }
    float4 acc = make_float4(0.f, 0.f, 0.f, 0.f);
    for (int k = 0; k < len; ++k) {
        cp_wait<DEPTH - 2>();
        const float4 v = slot[k % DEPTH][threadIdx.x];
        acc.x += v.x;
        acc.y += v.y;
        acc.z += v.z;
        acc.w += v.w;
        const int nxt = k + DEPTH - 1;
        if (nxt < len)
            cp16(&slot[nxt % DEPTH][threadIdx.x], b.table + b.index[beg + nxt]);
        cp_commit();
    }
    b.out[bag] = acc;
}

int main()
{
    const int bags = 3000, rows = 512;
    int *off, *idx;
    float4 *tab, *out;
    cudaMallocManaged(&off, (bags + 1) * sizeof(int));
    off[0] = 0;
    for (int i = 0; i < bags; ++i)
        off[i + 1] = off[i] + (i * 13) % 21;
    cudaMallocManaged(&idx, off[bags] * sizeof(int));
    for (int i = 0; i < off[bags]; ++i)
        idx[i] = (i * 97) % rows;
    cudaMalloc(&tab, rows * sizeof(float4));
    cudaMalloc(&out, bags * sizeof(float4));
    cudaMemset(tab, 0, rows * sizeof(float4));
    bag_sum<<<(bags + BLOCK - 1) / BLOCK, BLOCK>>>(Bag{tab, idx, off, out, bags});
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
