// Bonded forces by gather: every atom walks its own bond list, each bond is computed twice.
#include <cuda_runtime.h>
#include <vector>

struct Bond { int i, j, type; };
struct BondType { float k, r0; };

/* slot s of atom a: bonds[s * pitch + a], count in nbonds[a] */
struct BondTable {
    int natoms, pitch, width;
    int2 *bonds;       // x = partner, y = type
    int *nbonds;
};

__constant__ BondType c_types[64];

__global__ void bondForces(BondTable tab, const float4 *__restrict__ pos, float4 *force, float *virial, float3 L)
{
    int a = blockIdx.x * blockDim.x + threadIdx.x;
    if (a >= tab.natoms)
        return;
    float4 p = pos[a];
    float4 f = force[a];
    float w = 0.f;
    for (int s = 0; s < tab.nbonds[a]; ++s) {
        int2 b = tab.bonds[s * tab.pitch + a];
        float4 q = pos[b.x];
        float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
        dx -= L.x * rintf(dx / L.x);
        dy -= L.y * rintf(dy / L.y);
        dz -= L.z * rintf(dz / L.z);
        float r2 = dx * dx + dy * dy + dz * dz;
        float rinv = rsqrtf(r2);
        BondType t = c_types[b.y];
        float fr = t.k * (t.r0 * rinv - 1.f);
        f.x += fr * dx;
        f.y += fr * dy;
        f.z += fr * dz;
        f.w += 0.25f * t.k * (r2 * rinv - t.r0) * (r2 * rinv - t.r0);
        w += 0.5f * fr * r2;
    }
    force[a] = f;
    virial[a] += w;
}

__global__ void kick(int n, const float4 *__restrict__ force, const float *__restrict__ mass, float4 *vel, float dt)
{
    int a = blockIdx.x * blockDim.x + threadIdx.x;
    if (a >= n)
        return;
    float s = dt / mass[a];
    vel[a].x += s * force[a].x;
    vel[a].y += s * force[a].y;
    vel[a].z += s * force[a].z;
}

BondTable uploadBonds(const std::vector<Bond> &bonds, int natoms)
{
    std::vector<int> cnt(natoms, 0);
    for (const Bond &b : bonds) { cnt[b.i]++; cnt[b.j]++; }
    BondTable t;
    t.natoms = natoms;
    t.pitch = (natoms + 31) / 32 * 32;
    t.width = 0;
    for (int c : cnt) t.width = c > t.width ? c : t.width;
    std::vector<int2> table((size_t)t.pitch * (t.width ? t.width : 1));
    std::vector<int> fill(natoms, 0);
    for (const Bond &b : bonds) {
        table[(size_t)fill[b.i]++ * t.pitch + b.i] = make_int2(b.j, b.type);
        table[(size_t)fill[b.j]++ * t.pitch + b.j] = make_int2(b.i, b.type);
    }
    cudaMalloc(&t.bonds, table.size() * sizeof(int2));
    cudaMalloc(&t.nbonds, natoms * sizeof(int));
    cudaMemcpy(t.bonds, table.data(), table.size() * sizeof(int2), cudaMemcpyHostToDevice);
    cudaMemcpy(t.nbonds, cnt.data(), natoms * sizeof(int), cudaMemcpyHostToDevice);
    return t;
}

void bondedStep(const BondTable &t, const float4 *pos, float4 *force, float *virial, const float *mass, float4 *vel, float3 L,
                float dt)
{
    int T = 128, B = (t.natoms + T - 1) / T;
    bondForces<<<B, T>>>(t, pos, force, virial, L);
    kick<<<B, T>>>(t.natoms, force, mass, vel, dt);
}
