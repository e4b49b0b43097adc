// Irregular rows pulled from a global counter in chunks by whole warps.
#include <cuda_runtime.h>
#include <cassert>

__device__ __forceinline__ int pull(int* counter, int chunk)
{
    int base = 0;
    if ((threadIdx.x & 31) == 0) base = atomicAdd(counter, chunk);
    return __shfl_sync(0xffffffffu, base, 0);
}

__global__ void __launch_bounds__(128)
jaccard(const int* __restrict__ ptr, const int* __restrict__ adj, const int2* __restrict__ pairs, int numPairs,
        float* __restrict__ score, int* counter)
{
    constexpr int CHUNK = 8;
    const int lane = threadIdx.x & 31;
    for (int base = pull(counter, CHUNK); base < numPairs; base = pull(counter, CHUNK)) {
        const int end = min(base + CHUNK, numPairs);
        for (int q = base; q < end; ++q) {
            int u = pairs[q].x, v = pairs[q].y;
            int du = ptr[u + 1] - ptr[u], dv = ptr[v + 1] - ptr[v];
            if (du > dv) { int t = u; u = v; v = t; t = du; du = dv; dv = t; }
            const int* list = adj + ptr[v];
            int common = 0;
            for (int k = lane; k < du; k += 32) {
                const int key = adj[ptr[u] + k];
                int lo = 0, hi = dv;
                while (lo < hi) {
                    const int mid = (lo + hi) >> 1;
                    if (list[mid] < key) lo = mid + 1; else hi = mid;
                }
                common += lo < dv && list[lo] == key;
            }
            __syncwarp();
            common = __reduce_add_sync(0xffffffffu, common);
            if (lane == 0) {
                const int uni = du + dv - common;
                score[q] = uni ? (float)common / uni : 0.f;
            }
        }
    }
}

void jaccardPairs(const int* ptr, const int* adj, const int2* pairs, int numPairs, float* score, int* counter, cudaStream_t s)
{
    assert(numPairs >= 0 && numPairs < (1 << 30));
    if (numPairs == 0) return;
    cudaMemsetAsync(counter, 0, sizeof(int), s);
    int sms = 1;
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    jaccard<<<sms * 8, 128, 0, s>>>(ptr, adj, pairs, numPairs, score, counter);
}
