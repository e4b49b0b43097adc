// Lennard-Jones forces over tile pairs with Newton's third law.  Reaction forces
// of a tile are gathered in shared memory; thread t handles j = (t + k) % TILE in
// step k, so that no two threads touch the same j in one step.
#include <cuda_runtime.h>

#include <cstdio>

namespace md {

struct LjParams {
    float eps4, sigma2, rc2;
    float box;
};

struct TilePair { int i, j; };

template <int TILE>
struct TileShared {
    float3 xj[TILE];
    float3 fj[TILE];
};

template <int TILE>
__device__ __forceinline__ void tile_sync()
{
    if (TILE <= 32) __syncwarp();
    else __syncthreads();
}

__device__ __forceinline__ float wrap(float d, float box) { return d - box * rintf(d / box); }

__device__ __forceinline__ float3 lj(const LjParams& p, float3 a, float3 b, float& energy)
{
    const float dx = wrap(a.x - b.x, p.box), dy = wrap(a.y - b.y, p.box), dz = wrap(a.z - b.z, p.box);
    const float r2 = dx * dx + dy * dy + dz * dz;
    if (r2 >= p.rc2 || r2 == 0.f) return make_float3(0.f, 0.f, 0.f);
    const float s2 = p.sigma2 / r2, s6 = s2 * s2 * s2;
    const float f = 6.f * p.eps4 * (2.f * s6 * s6 - s6) / r2;
    energy += p.eps4 * (s6 * s6 - s6);
    return make_float3(f * dx, f * dy, f * dz);
}

__device__ __forceinline__ void add_force(float3* f, float3 v)
{
    atomicAdd(&f->x, v.x);
    atomicAdd(&f->y, v.y);
    atomicAdd(&f->z, v.z);
}

template <int TILE>
__device__ float3 off_diagonal(const LjParams& p, TileShared<TILE>& s, float3 xi, float& energy)
{
    float3 fi = make_float3(0.f, 0.f, 0.f);
    for (int k = 0; k < TILE; ++k) {
        const int j = (threadIdx.x + k) & (TILE - 1);
        const float3 f = lj(p, xi, s.xj[j], energy);
        fi.x += f.x; fi.y += f.y; fi.z += f.z;
        s.fj[j].x -= f.x; s.fj[j].y -= f.y; s.fj[j].z -= f.z;
        tile_sync<TILE>();
    }
    return fi;
}

template <int TILE>
__device__ float3 diagonal(const LjParams& p, TileShared<TILE>& s, float3 xi, float& energy)
{
    float3 fi = make_float3(0.f, 0.f, 0.f);
    for (int j = 0; j < TILE; ++j) {
        float e = 0.f;
        const float3 f = lj(p, xi, s.xj[j], e);
        fi.x += f.x; fi.y += f.y; fi.z += f.z;
        energy += 0.5f * e;
    }
    return fi;
}

template <int TILE>
__global__ void __launch_bounds__(TILE)
tile_forces(const TilePair* pairs, const float3* x, float3* f, float* energy, LjParams p)
{
    __shared__ TileShared<TILE> s;
    const TilePair tp = pairs[blockIdx.x];
    const int i = tp.i * TILE + threadIdx.x, j = tp.j * TILE + threadIdx.x;

    s.xj[threadIdx.x] = x[j];
    s.fj[threadIdx.x] = make_float3(0.f, 0.f, 0.f);
    tile_sync<TILE>();

    float e = 0.f;
    if (tp.i == tp.j) {
        add_force(f + i, diagonal<TILE>(p, s, x[i], e));
    } else {
        add_force(f + i, off_diagonal<TILE>(p, s, x[i], e));
        add_force(f + j, s.fj[threadIdx.x]);
    }
    for (int o = 16; o > 0; o >>= 1) e += __shfl_down_sync(0xffffffffu, e, o);
    if ((threadIdx.x & 31) == 0) atomicAdd(energy, e);
}

__global__ void make_pairs(TilePair* out, int tiles)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= tiles * (tiles + 1) / 2) return;
    int r = 0, left = i;
    while (left >= tiles - r) left -= tiles - r++;
    out[i] = {r, r + left};
}

template <int TILE>
static void run(const float3* x, float3* f, float* e, TilePair* pairs, int n, const LjParams& p, cudaStream_t s)
{
    const int tiles = n / TILE, np = tiles * (tiles + 1) / 2;
    make_pairs<<<(np + 127) / 128, 128, 0, s>>>(pairs, tiles);
    tile_forces<TILE><<<np, TILE, 0, s>>>(pairs, x, f, e, p);
}

// n is padded with far-away dummies to a multiple of 64
int compute_forces(const float3* x, float3* f, float* e, TilePair* pairs, int n, const LjParams& p, cudaStream_t s)
{
    if (n <= 0 || n % 64) {
        fprintf(stderr, "compute_forces: %d particles, pad to 64\n", n);
        return -1;
    }
    cudaMemsetAsync(f, 0, n * sizeof(float3), s);
    cudaMemsetAsync(e, 0, sizeof(float), s);
    if (n <= 2048) run<32>(x, f, e, pairs, n, p, s);
    else run<64>(x, f, e, pairs, n, p, s);
    return cudaGetLastError() == cudaSuccess ? 0 : -1;
}

}  // namespace md
