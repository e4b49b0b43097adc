// Short range repulsion inside a patch: particles are binned to cells in shared memory.
#include <cuda_runtime.h>

#define CELLS_PER_SIDE 6
#define NCELL (CELLS_PER_SIDE * CELLS_PER_SIDE)
#define CELL_CAP 24
#define PATCH_MAX 256

struct Patch {
    int first, count;       // particles of the patch, count <= PATCH_MAX
    float2 origin;
};

struct Params {
    float cell;             // cell edge >= cutoff
    float cutoff2;
    float strength;
};

__device__ int cell_of(float2 p, float2 o, float cell)
{
    int cx = min(CELLS_PER_SIDE - 1, max(0, (int)((p.x - o.x) / cell)));
    int cy = min(CELLS_PER_SIDE - 1, max(0, (int)((p.y - o.y) / cell)));
    return cy * CELLS_PER_SIDE + cx;
}

__global__ void patch_forces(const Patch *patches, const float2 *pos, float2 *force, Params prm, int *overflow)
{
    __shared__ int fill[NCELL];
    __shared__ short list[NCELL][CELL_CAP];
    __shared__ float2 sp[PATCH_MAX];

    Patch pt = patches[blockIdx.x];
    int t = threadIdx.x;
    if (t < NCELL) fill[t] = 0;
    if (t < pt.count) sp[t] = pos[pt.first + t];
    __syncthreads();

    int c = 0;
    if (t < pt.count) {
        c = cell_of(sp[t], pt.origin, prm.cell);
        int k = atomicAdd(&fill[c], 1);
        if (k < CELL_CAP)
            list[c][k] = (short)t;
        else
            atomicAdd(overflow, 1);
    }
    __syncthreads();

    if (t >= pt.count) return;
    int cx = c % CELLS_PER_SIDE, cy = c / CELLS_PER_SIDE;
    float2 f = make_float2(0.f, 0.f);
    for (int y = max(0, cy - 1); y <= min(CELLS_PER_SIDE - 1, cy + 1); y++)
        for (int x = max(0, cx - 1); x <= min(CELLS_PER_SIDE - 1, cx + 1); x++) {
            int o = y * CELLS_PER_SIDE + x, m = min(fill[o], CELL_CAP);
            for (int k = 0; k < m; k++) {
                int j = list[o][k];
                float dx = sp[t].x - sp[j].x, dy = sp[t].y - sp[j].y;
                float r2 = dx * dx + dy * dy;
                if (j == t || r2 > prm.cutoff2 || r2 == 0.f) continue;
                float s = prm.strength * (1.f / r2 - 1.f / prm.cutoff2);
                f.x += s * dx;
                f.y += s * dy;
            }
        }
    force[pt.first + t] = f;
}

int run_patches(const Patch *d_patches, int n, const float2 *d_pos, float2 *d_force, Params prm, int *d_overflow)
{
    int lost = 0;
    cudaMemset(d_overflow, 0, sizeof(int));
    patch_forces<<<n, PATCH_MAX>>>(d_patches, d_pos, d_force, prm, d_overflow);
    cudaMemcpy(&lost, d_overflow, sizeof(int), cudaMemcpyDeviceToHost);
    return lost;
}
