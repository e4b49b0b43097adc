// Smooth vertex normals of an indexed triangle mesh.
#include <cuda_runtime.h>
#include <vector>

struct MeshDev {
    int num_vertices, num_faces;
    const float3 *pos;
    const int3 *face;
    float3 *normal;
    int *inc_ptr;    // faces incident to each vertex, CSR
    int *inc_face;
};

__device__ static float3 sub(float3 a, float3 b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); }

__device__ static float3 cross3(float3 a, float3 b)
{
    return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

__device__ static float3 face_normal(const MeshDev &m, int f)
{
    int3 t = m.face[f];
    return cross3(sub(m.pos[t.y], m.pos[t.x]), sub(m.pos[t.z], m.pos[t.x]));   // area weighted
}

__global__ void accumulateNormals(MeshDev m)
{
    int f = blockIdx.x * blockDim.x + threadIdx.x;
    if (f >= m.num_faces) return;
    float3 n = face_normal(m, f);
    int3 t = m.face[f];
    int corner[3] = { t.x, t.y, t.z };
    for (int k = 0; k < 3; k++) {
        float3 *dst = &m.normal[corner[k]];
        dst->x += n.x;
        dst->y += n.y;
        dst->z += n.z;
    }
}

__global__ void normalizeNormals(MeshDev m)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= m.num_vertices) return;
    float3 n = m.normal[v];
    float len2 = n.x * n.x + n.y * n.y + n.z * n.z;
    float inv = len2 > 0.f ? rsqrtf(len2) : 0.f;
    m.normal[v] = make_float3(n.x * inv, n.y * inv, n.z * inv);
}

void buildIncidence(const std::vector<int3> &faces, int nv, std::vector<int> &ptr, std::vector<int> &list)
{
    ptr.assign(nv + 1, 0);
    for (const int3 &t : faces) { ptr[t.x + 1]++; ptr[t.y + 1]++; ptr[t.z + 1]++; }
    for (int v = 0; v < nv; v++) ptr[v + 1] += ptr[v];
    list.resize(ptr[nv]);
    std::vector<int> cur(ptr.begin(), ptr.end() - 1);
    for (int f = 0; f < (int)faces.size(); f++) {
        list[cur[faces[f].x]++] = f;
        list[cur[faces[f].y]++] = f;
        list[cur[faces[f].z]++] = f;
    }
}

void computeNormals(MeshDev m)
{
    const int T = 256;
    cudaMemset(m.normal, 0, m.num_vertices * sizeof(float3));
    accumulateNormals<<<(m.num_faces + T - 1) / T, T>>>(m);
    normalizeNormals<<<(m.num_vertices + T - 1) / T, T>>>(m);
}
