#include <cuda_runtime.h>

typedef unsigned int uint;

struct Volume {
    const float* field;
    int nx, ny, nz;
    float iso;
};

struct MeshOut {
    float4* verts;
    uint* counters;   // [0] vertices, [1] cells
    int* cells;
    uint capacity;
};

__device__ inline float sample(const Volume& v, int x, int y, int z)
{
    return v.field[((size_t)z * v.ny + y) * v.nx + x];
}

__device__ inline uint edge_count(const Volume& v, int x, int y, int z)
{
    const float c = sample(v, x, y, z);
    uint n = 0;
    n += (c < v.iso) != (sample(v, x + 1, y, z) < v.iso);
    n += (c < v.iso) != (sample(v, x, y + 1, z) < v.iso);
    n += (c < v.iso) != (sample(v, x, y, z + 1) < v.iso);
    return n;
}

__device__ inline uint warp_inclusive(uint x)
{
    const uint lane = threadIdx.x & 31u;
    for (int d = 1; d < 32; d <<= 1) {
        const uint y = __shfl_up_sync(0xffffffffu, x, d);
        if (lane >= (uint)d) x += y;
    }
    return x;
}

template <int THREADS>
__global__ void extract_points(Volume vol, MeshOut out)
{
    __shared__ uint warpSum[THREADS / 32];
    __shared__ uint sBase[2];

    const int cx = vol.nx - 1, cy = vol.ny - 1, cz = vol.nz - 1;
    const int cell = blockIdx.x * THREADS + threadIdx.x;
    const bool inside = cell < cx * cy * cz;
    const int x = cell % cx;
    const int y = (cell / cx) % cy;
    const int z = cell / (cx * cy);

    const uint cnt = inside ? edge_count(vol, x, y, z) : 0u;
    const uint incl = warp_inclusive(cnt);
    const uint wid = threadIdx.x >> 5;
    if ((threadIdx.x & 31) == 31) warpSum[wid] = incl;
    const int used = __syncthreads_count(cnt > 0);

    uint before = 0, total = 0;
    for (int w = 0; w < THREADS / 32; ++w) {
        if (w < wid) before += warpSum[w];
        total += warpSum[w];
    }
    if (threadIdx.x == 0) {
        sBase[0] = atomicAdd(&out.counters[0], total);
        sBase[1] = atomicAdd(&out.counters[1], (uint)used);
    }

    uint pos = sBase[0] + before + incl - cnt;
    for (uint k = 0; k < cnt; ++k, ++pos) {
        if (pos < out.capacity) {
            out.verts[pos] = make_float4(x, y, z, (float)k);
            out.cells[pos] = cell;
        }
    }
}

void extract_surface(const float* field, int nx, int ny, int nz, float iso, MeshOut out)
{
    Volume v = {field, nx, ny, nz, iso};
    const int cells = (nx - 1) * (ny - 1) * (nz - 1);
    const int threads = 128;
    cudaMemset(out.counters, 0, 2 * sizeof(uint));
    if (cells > 0) extract_points<threads><<<(cells + threads - 1) / threads, threads>>>(v, out);
}
