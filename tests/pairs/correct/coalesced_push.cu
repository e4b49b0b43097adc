// Work generation: threads that find a candidate push it, using a coalesced group.
#include <cstdio>
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

struct Queue {
    int2 *item;
    unsigned *size;
    unsigned capacity;
};

__device__ unsigned reserve(unsigned *size)
{
    cg::coalesced_group g = cg::coalesced_threads();
    unsigned base = 0;
    if (g.thread_rank() == 0)
        base = atomicAdd(size, g.size());
    return g.shfl(base, 0) + g.thread_rank();
}

__device__ __forceinline__ float dist2(float4 a, float4 b)
{
    const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return x * x + y * y + z * z;
}

__global__ void neighbour_pairs(const float4 *__restrict__ pos, int n, int window, float cut2, Queue q)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float4 me = pos[i];
    const int end = min(n, i + 1 + window);
    for (int j = i + 1; j < end; ++j) {
        if (dist2(me, pos[j]) >= cut2)
            continue;
        const unsigned at = reserve(q.size);
        if (at < q.capacity)
            q.item[at] = make_int2(i, j);
    }
}

__global__ void pair_energy(const float4 *__restrict__ pos, Queue q, float *energy)
{
    const unsigned m = min(*q.size, q.capacity);
    for (unsigned k = blockIdx.x * blockDim.x + threadIdx.x; k < m; k += gridDim.x * blockDim.x) {
        const int2 p = q.item[k];
        const float e = 1.0f / (0.01f + dist2(pos[p.x], pos[p.y]));
        atomicAdd(&energy[p.x], 0.5f * e);
        atomicAdd(&energy[p.y], 0.5f * e);
    }
}

int main()
{
    const int n = 20000, window = 50;
    Queue q;
    q.capacity = 1u << 18;
    float4 *pos;
    float *en;
    cudaMalloc(&pos, n * sizeof(float4));
    cudaMalloc(&en, n * sizeof(float));
    cudaMalloc(&q.item, q.capacity * sizeof(int2));
    cudaMalloc(&q.size, sizeof(unsigned));
    cudaMemset(pos, 0, n * sizeof(float4));
    cudaMemset(en, 0, n * sizeof(float));
    cudaMemset(q.size, 0, sizeof(unsigned));
    neighbour_pairs<<<(n + 127) / 128, 128>>>(pos, n, window, 0.5f, q);
    pair_energy<<<256, 128>>>(pos, q, en);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(pos);
    cudaFree(en);
    cudaFree(q.item);
    cudaFree(q.size);
    return 0;
}
