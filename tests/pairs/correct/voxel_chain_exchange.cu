// Voxel downsampling: points are chained per hash cell with atomicExch, then one thread averages a chain.
#include <cuda_runtime.h>
#include <cstdint>

struct VoxelParams {
    float leaf;
    uint32_t buckets;      // power of two
};

struct Chains {
    int *head;             // per bucket, -1 = empty
    int *next;             // per point
};

__device__ int3 voxel_of(float3 p, float leaf)
{
    return make_int3(__float2int_rd(p.x / leaf), __float2int_rd(p.y / leaf), __float2int_rd(p.z / leaf));
}

__device__ uint32_t bucket_of(int3 v, uint32_t buckets)
{
    return ((uint32_t)v.x * 73856093u ^ (uint32_t)v.y * 19349663u ^ (uint32_t)v.z * 83492791u) & (buckets - 1);
}

__global__ void link_points(const float3 *__restrict__ pts, int n, VoxelParams vp, Chains c)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const uint32_t b = bucket_of(voxel_of(pts[i], vp.leaf), vp.buckets);
    c.next[i] = atomicExch(&c.head[b], i);
}

__device__ bool same(int3 a, int3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

// done[] is per point and used only by the thread of the bucket that the point hangs on
__global__ void average_voxels(const float3 *__restrict__ pts, VoxelParams vp, Chains c, uint8_t *done, float3 *out,
                               int *out_weight, int *out_count)
{
    const uint32_t b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= vp.buckets)
        return;
    for (int i = c.head[b]; i >= 0; i = c.next[i]) {
        if (done[i])
            continue;
        const int3 v = voxel_of(pts[i], vp.leaf);
        float3 s = make_float3(0.f, 0.f, 0.f);
        int m = 0;
        for (int j = i; j >= 0; j = c.next[j])
            if (same(v, voxel_of(pts[j], vp.leaf))) {
                s.x += pts[j].x;
                s.y += pts[j].y;
                s.z += pts[j].z;
                done[j] = 1;
                ++m;
            }
        const int slot = atomicAdd(out_count, 1);
        out[slot] = make_float3(s.x / m, s.y / m, s.z / m);
        out_weight[slot] = m;
    }
}

int voxel_downsample(const float3 *d_pts, int n, VoxelParams vp, float3 *d_out, int *d_weight)
{
    Chains c;
    uint8_t *done;
    int *d_count, count = 0;
    if (n == 0)
        return 0;
    cudaMalloc(&c.head, vp.buckets * sizeof(int));
    cudaMalloc(&c.next, n * sizeof(int));
    cudaMalloc(&done, n);
    cudaMalloc(&d_count, sizeof(int));
    cudaMemset(c.head, 0xff, vp.buckets * sizeof(int));
    cudaMemset(done, 0, n);
    cudaMemset(d_count, 0, sizeof(int));
    link_points<<<(n + 255) / 256, 256>>>(d_pts, n, vp, c);
    average_voxels<<<(vp.buckets + 127) / 128, 128>>>(d_pts, vp, c, done, d_out, d_weight, d_count);
    cudaMemcpy(&count, d_count, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(c.head);
    cudaFree(c.next);
    cudaFree(done);
    cudaFree(d_count);
    return count;
}
