// Harmonic angle term: E = k/2 (theta - theta0)^2 for bonded triples i-j-k.
#include <cuda_runtime.h>
#include <cmath>

struct AngleParm { float k, theta0; };

struct AngleList {
    int n;
    const int4* __restrict__ atoms;    // i, j, k, type
    const AngleParm* __restrict__ parm;
};

__device__ __forceinline__ float3 minImage(float3 d, float3 L)
{
    d.x -= L.x * rintf(d.x / L.x);
    d.y -= L.y * rintf(d.y / L.y);
    d.z -= L.z * rintf(d.z / L.z);
    return d;
}

__device__ __forceinline__ float dot3(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

__device__ __forceinline__ void addForce(float4* f, int a, float3 v)
{
    atomicAdd(&f[a].x, v.x);
    atomicAdd(&f[a].y, v.y);
    atomicAdd(&f[a].z, v.z);
}

__global__ void angleKernel(AngleList list, const float4* __restrict__ pos, float4* force, float3 box,
                            float* energy)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= list.n)
        return;
    int4 a = list.atoms[t];
    float4 pi = pos[a.x], pj = pos[a.y], pk = pos[a.z];
    float3 rij = minImage(make_float3(pi.x - pj.x, pi.y - pj.y, pi.z - pj.z), box);
    float3 rkj = minImage(make_float3(pk.x - pj.x, pk.y - pj.y, pk.z - pj.z), box);
    float nij = rsqrtf(dot3(rij, rij)), nkj = rsqrtf(dot3(rkj, rkj));
    float c = fminf(0.9999f, fmaxf(-0.9999f, dot3(rij, rkj) * nij * nkj));
    float theta = acosf(c);
    AngleParm p = list.parm[a.w];
    float dth = theta - p.theta0;
    float st = -p.k * dth / -sqrtf(1.f - c * c);

    float3 fi, fk;
    fi.x = st * nij * (rkj.x * nkj - c * rij.x * nij);
    fi.y = st * nij * (rkj.y * nkj - c * rij.y * nij);
    fi.z = st * nij * (rkj.z * nkj - c * rij.z * nij);
    fk.x = st * nkj * (rij.x * nij - c * rkj.x * nkj);
    fk.y = st * nkj * (rij.y * nij - c * rkj.y * nkj);
    fk.z = st * nkj * (rij.z * nij - c * rkj.z * nkj);

    addForce(force, a.x, fi);
    addForce(force, a.z, fk);
    float4 fj = force[a.y];
    fj.x -= fi.x + fk.x;
    fj.y -= fi.y + fk.y;
    fj.z -= fi.z + fk.z;
    force[a.y] = fj;
    atomicAdd(energy, 0.5f * p.k * dth * dth);
}

void computeAngles(const AngleList& list, const float4* d_pos, float4* d_force, float3 box, float* d_energy,
                   cudaStream_t stream)
{
    if (list.n == 0)
        return;
    const int tpb = 64;
    angleKernel<<<(list.n + tpb - 1) / tpb, tpb, 0, stream>>>(list, d_pos, d_force, box, d_energy);
}
