// Position based cloth: distance constraints are projected colour by colour.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <vector>

struct Spring { int a, b; float rest; };

struct Cloth {
    int nv;
    float4 *pos;          // w = inverse mass
    float4 *prev;
    Spring *springs;      // sorted by colour
    std::vector<int> colorStart;
};

__global__ void integrate(float4 *pos, float4 *prev, int n, float dt, float3 g)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 p = pos[i], q = prev[i];
    prev[i] = p;
    if (p.w == 0.f) return;
    pos[i] = make_float4(2 * p.x - q.x + g.x * dt * dt, 2 * p.y - q.y + g.y * dt * dt, 2 * p.z - q.z + g.z * dt * dt, p.w);
}

__global__ void projectSprings(const Spring *__restrict__ s, int n, float4 *pos, float stiffness)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Spring sp = s[i];
    float4 a = pos[sp.a], b = pos[sp.b];
    float dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z;
    float len = sqrtf(dx * dx + dy * dy + dz * dz);
    float w = a.w + b.w;
    if (w == 0.f || len < 1e-6f) return;
    float k = stiffness * (len - sp.rest) / (len * w);
    a.x += a.w * k * dx; a.y += a.w * k * dy; a.z += a.w * k * dz;
    b.x -= b.w * k * dx; b.y -= b.w * k * dy; b.z -= b.w * k * dz;
    pos[sp.a] = a;
    pos[sp.b] = b;
}

// Greedy edge colouring: no two springs of one colour share a particle.
std::vector<Spring> colorSprings(const std::vector<Spring> &in, int nv, std::vector<int> &start)
{
    std::vector<std::vector<char>> busy;     // [colour][vertex]
    std::vector<std::vector<Spring>> bucket;
    for (const Spring &s : in) {
        size_t c = 0;
        while (c < busy.size() && (busy[c][s.a] || busy[c][s.b]))
            c++;
        if (c == busy.size()) {
            busy.emplace_back(nv, 0);
            bucket.emplace_back();
        }
        busy[c][s.a] = busy[c][s.b] = 1;
        bucket[c].push_back(s);
    }
    std::vector<Spring> out;
    start.assign(1, 0);
    for (auto &b : bucket) {
        out.insert(out.end(), b.begin(), b.end());
        start.push_back((int)out.size());
    }
    return out;
}

void simulate(Cloth &c, float dt, int iterations)
{
    integrate<<<(c.nv + 255) / 256, 256>>>(c.pos, c.prev, c.nv, dt, make_float3(0.f, -9.81f, 0.f));
    for (int it = 0; it < iterations; it++)
        for (size_t k = 0; k + 1 < c.colorStart.size(); k++) {
            int first = c.colorStart[k], n = c.colorStart[k + 1] - first;
            projectSprings<<<(n + 127) / 128, 128>>>(c.springs + first, n, c.pos, 0.8f);
        }
}
