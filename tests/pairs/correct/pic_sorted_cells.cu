// Charge deposition from cell-sorted particles: each cell sums its own particles, nodes gather from cells.
#include <cuda_runtime.h>
#include <thrust/device_ptr.h>
#include <thrust/sort.h>

struct Grid { int nx, ny; float h; };

__global__ void cellKeys(Grid g, const float2 *pos, int n, int *key, int *idx)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int cx = min(g.nx - 1, max(0, (int)(pos[i].x / g.h)));
    int cy = min(g.ny - 1, max(0, (int)(pos[i].y / g.h)));
    key[i] = cy * g.nx + cx;
    idx[i] = i;
}

// key is sorted; boundaries are written by the one thread that sees the change
__global__ void findCellRange(const int *key, int n, int *start, int *end)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int k = key[i];
    if (i == 0 || key[i - 1] != k) start[k] = i;
    if (i == n - 1 || key[i + 1] != k) end[k] = i + 1;
}

__global__ void cellMoments(Grid g, const float2 *pos, const float *q, const int *idx, const int *start, const int *end,
                            float4 *corner)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= g.nx * g.ny) return;
    float4 s = make_float4(0, 0, 0, 0);
    int cx = c % g.nx, cy = c / g.nx;
    for (int k = start[c]; k < end[c]; k++) {
        int p = idx[k];
        float ax = pos[p].x / g.h - cx, ay = pos[p].y / g.h - cy;
        s.x += q[p] * (1 - ax) * (1 - ay);
        s.y += q[p] * ax * (1 - ay);
        s.z += q[p] * (1 - ax) * ay;
        s.w += q[p] * ax * ay;
    }
    corner[c] = s;
}

__global__ void nodeSum(Grid g, const float4 *corner, float *rho)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x > g.nx) return;
    float s = 0.f;
    if (x < g.nx && y < g.ny) s += corner[y * g.nx + x].x;
    if (x > 0 && y < g.ny) s += corner[y * g.nx + x - 1].y;
    if (x < g.nx && y > 0) s += corner[(y - 1) * g.nx + x].z;
    if (x > 0 && y > 0) s += corner[(y - 1) * g.nx + x - 1].w;
    rho[y * (g.nx + 1) + x] = s / (g.h * g.h);
}

struct Scratch { int *key, *idx, *start, *end; float4 *corner; };

void depositSorted(Grid g, const float2 *pos, const float *q, int n, Scratch s, float *rho)
{
    const int cells = g.nx * g.ny;
    cudaMemset(s.start, 0, cells * sizeof(int));
    cudaMemset(s.end, 0, cells * sizeof(int));
    if (n > 0) {
        cellKeys<<<(n + 255) / 256, 256>>>(g, pos, n, s.key, s.idx);
        thrust::device_ptr<int> k(s.key), v(s.idx);
        thrust::sort_by_key(k, k + n, v);
        findCellRange<<<(n + 255) / 256, 256>>>(s.key, n, s.start, s.end);
    }
    cellMoments<<<(cells + 127) / 128, 128>>>(g, pos, q, s.idx, s.start, s.end, s.corner);
    nodeSum<<<dim3((g.nx + 1 + 127) / 128, g.ny + 1), 128>>>(g, s.corner, rho);
}
