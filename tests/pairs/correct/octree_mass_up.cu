// Barnes-Hut style upward pass: masses and centres flow to the parents; the last child goes on.
#include <cuda_runtime.h>
#include <cuda/atomic>

struct Tree {
    int num_bodies;
    const int *leaf_parent;     // parent cell of each body
    const int *cell_parent;     // -1 at the root
    const int *child_begin;     // children of a cell: entries child_begin[c] .. child_begin[c+1]
    const int *child;           // >= 0 cell, < 0 is ~body
    float4 *cell;               // xyz = centre of mass, w = mass
    int *pending;               // children that have not arrived yet
    int num_cells;
};

__global__ void set_pending(Tree t)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < t.num_cells)
        t.pending[c] = t.child_begin[c + 1] - t.child_begin[c];
}

__device__ float4 combine(const Tree &t, const float4 *body, int c)
{
    float4 s = make_float4(0.f, 0.f, 0.f, 0.f);
    for (int k = t.child_begin[c]; k < t.child_begin[c + 1]; ++k) {
        const int ch = t.child[k];
        const float4 q = ch >= 0 ? t.cell[ch] : body[~ch];
        s.x += q.x * q.w;
        s.y += q.y * q.w;
        s.z += q.z * q.w;
        s.w += q.w;
    }
    if (s.w > 0.f) {
        s.x /= s.w;
        s.y /= s.w;
        s.z /= s.w;
    }
    return s;
}

__global__ void upward(Tree t, const float4 *__restrict__ body)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= t.num_bodies)
        return;
    int c = t.leaf_parent[b];
    while (c >= 0) {
        cuda::atomic_ref<int, cuda::thread_scope_device> left(t.pending[c]);
        if (left.fetch_sub(1, cuda::memory_order_acq_rel) > 1)
            break;                       // somebody else arrives later
        t.cell[c] = combine(t, body, c);
        c = t.cell_parent[c];
    }
}

__global__ void accelerations(Tree t, const float4 *__restrict__ body, const int *__restrict__ list_begin,
                              const int *__restrict__ list, float3 *acc, float eps2)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= t.num_bodies)
        return;
    float3 a = make_float3(0.f, 0.f, 0.f);
    for (int k = list_begin[b]; k < list_begin[b + 1]; ++k) {
        const float4 q = list[k] >= 0 ? t.cell[list[k]] : body[~list[k]];
        float dx = q.x - body[b].x, dy = q.y - body[b].y, dz = q.z - body[b].z;
        float inv = rsqrtf(dx * dx + dy * dy + dz * dz + eps2);
        float s = q.w * inv * inv * inv;
        a.x += s * dx;
        a.y += s * dy;
        a.z += s * dz;
    }
    acc[b] = a;
}

void gravity(Tree t, const float4 *d_body, const int *d_lb, const int *d_list, float3 *d_acc, float eps)
{
    const int tb = 128;
    set_pending<<<(t.num_cells + tb - 1) / tb, tb>>>(t);
    upward<<<(t.num_bodies + tb - 1) / tb, tb>>>(t, d_body);
    accelerations<<<(t.num_bodies + tb - 1) / tb, tb>>>(t, d_body, d_lb, d_list, d_acc, eps * eps);
}
