// Removes unreferenced vertices of a triangle soup: mark, scan, compact, renumber.
#include <cuda_runtime.h>
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/scan.h>

struct MeshBuffers {
    float3 *vtx;
    int num_vtx;
    int *index;       // 3 per face
    int num_index;
};

__global__ void clear_flags(int *used, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        used[i] = 0;
}

// Many faces mark the same vertex; all of them store 1 and nobody reads here.
__global__ void mark_used(const int *__restrict__ index, int n, int *used)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        used[index[i]] = 1;
}

__global__ void compact_vertices(const float3 *__restrict__ in, const int *__restrict__ used,
                                 const int *__restrict__ new_id, int n, float3 *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && used[i])
        out[new_id[i]] = in[i];
}

__global__ void renumber(int *index, int n, const int *__restrict__ new_id)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        index[i] = new_id[index[i]];
}

static inline int grid_for(int n, int block) { return (n + block - 1) / block; }

int drop_unreferenced(MeshBuffers &m)
{
    int *used, *new_id, last_id = 0, last_used = 0;
    float3 *packed;
    const int B = 256;
    if (m.num_vtx == 0 || m.num_index == 0)
        return 0;
    cudaMalloc(&used, m.num_vtx * sizeof(int));
    cudaMalloc(&new_id, m.num_vtx * sizeof(int));
    clear_flags<<<grid_for(m.num_vtx, B), B>>>(used, m.num_vtx);
    mark_used<<<grid_for(m.num_index, B), B>>>(m.index, m.num_index, used);
    thrust::exclusive_scan(thrust::device, used, used + m.num_vtx, new_id);
    cudaMemcpy(&last_id, new_id + m.num_vtx - 1, sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(&last_used, used + m.num_vtx - 1, sizeof(int), cudaMemcpyDeviceToHost);
    const int kept = last_id + last_used;
    cudaMalloc(&packed, kept * sizeof(float3));
    compact_vertices<<<grid_for(m.num_vtx, B), B>>>(m.vtx, used, new_id, m.num_vtx, packed);
    renumber<<<grid_for(m.num_index, B), B>>>(m.index, m.num_index, new_id);
    const int dropped = m.num_vtx - kept;
    cudaDeviceSynchronize();
    cudaFree(m.vtx);
    cudaFree(used);
    cudaFree(new_id);
    m.vtx = packed;
    m.num_vtx = kept;
    return dropped;
}
