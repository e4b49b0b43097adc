// needs -arch=sm_90: blocks of a cluster publish their partial sums to rank 0, split arrive/wait
#include <cstdio>
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;
constexpr int BLOCK = 128;
constexpr int CLUSTER = 8;

__global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(BLOCK)
cluster_norm(float *x, int per_block)
{
    __shared__ float warp_part[BLOCK / 32];
    __shared__ float parts[CLUSTER]; // filled by all blocks of the cluster
    cg::cluster_group cl = cg::this_cluster();
    const unsigned rank = cl.block_rank();
    cl.barrier_arrive(); // waited for before the first remote store

    float *mine = x + (size_t)blockIdx.x * per_block;
    float v = 0.0f;
    for (int i = threadIdx.x; i < per_block; i += BLOCK)
        v += mine[i] * mine[i];
    for (int d = 16; d; d >>= 1)
        v += __shfl_xor_sync(0xffffffffu, v, d);
    if (threadIdx.x % 32 == 0)
        warp_part[threadIdx.x / 32] = v;
    __syncthreads();

    cl.barrier_wait();
    if (threadIdx.x < CLUSTER) {
        float s = 0.0f;
        for (float p : warp_part)
            s += p;
        float *dst = cl.map_shared_rank(parts, threadIdx.x);
        dst[rank] = s;
    }
    cl.sync();

    float total = 0.0f;
    for (float p : parts)
        total += p;
    const float inv = total > 0.0f ? rsqrtf(total) : 0.0f;
    for (int i = threadIdx.x; i < per_block; i += BLOCK)
        mine[i] *= inv;
}

int main()
{
    const int groups = 20, per_block = 1500;
    const size_t n = (size_t)groups * CLUSTER * per_block;
    float *x;
    cudaMalloc(&x, n * sizeof(float));
    cudaMemset(x, 0, n * sizeof(float));
    cluster_norm<<<groups * CLUSTER, BLOCK>>>(x, per_block);
    cudaError_t e = cudaGetLastError();
    if (e == cudaSuccess)
        e = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(e));
    cudaFree(x);
    return e != cudaSuccess;
}
