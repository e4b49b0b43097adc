// Collects the core points of a DBSCAN run in a dense list and gives them labels.
#include <cuda_runtime.h>
#include <cstdio>

struct Params {
    float eps2;
    int min_pts;
    int n;
};

struct CoreList {
    int *ids;         // capacity n
    float2 *xy;
    int *count;
};

__device__ int count_neighbours(const float2 *__restrict__ p, float2 q, const Params &prm)
{
    int c = 0;
    for (int j = 0; j < prm.n; ++j) {
        float dx = p[j].x - q.x, dy = p[j].y - q.y;
        c += dx * dx + dy * dy <= prm.eps2;
    }
    return c;
}

__global__ void collect_core(const float2 *__restrict__ pts, Params prm, CoreList core, int *slot_of_point)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= prm.n)
        return;
    float2 q = pts[i];
    slot_of_point[i] = -1;
    if (count_neighbours(pts, q, prm) >= prm.min_pts) {
        int s = atomicAdd(core.count, 1);
        core.ids[s] = i;
        core.xy[s] = q;
        slot_of_point[i] = s;
    }
}

__global__ void init_labels(CoreList core, int ncore, int *label)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s < ncore)
        label[core.ids[s]] = s;
}

__global__ void propagate(const float2 *__restrict__ xy, const int *__restrict__ ids, int ncore, Params prm,
                          const int *__restrict__ label_in, int *label_out, int *changed)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= ncore)
        return;
    int best = label_in[ids[s]];
    int old = best;
    for (int t = 0; t < ncore; ++t) {
        float dx = xy[t].x - xy[s].x, dy = xy[t].y - xy[s].y;
        if (dx * dx + dy * dy <= prm.eps2)
            best = min(best, label_in[ids[t]]);
    }
    label_out[ids[s]] = best;
    if (best != old)
        atomicExch(changed, 1);
}

int dbscan(const float2 *d_pts, Params prm, CoreList core, int *d_slot, int *d_label[2], int *d_flag)
{
    const int tb = 128;
    int ncore = 0, flag = 1, cur = 0;
    cudaMemset(core.count, 0, sizeof(int));
    collect_core<<<(prm.n + tb - 1) / tb, tb>>>(d_pts, prm, core, d_slot);
    cudaMemcpy(&ncore, core.count, sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemset(d_label[0], 0xff, prm.n * sizeof(int));
    cudaMemset(d_label[1], 0xff, prm.n * sizeof(int));
    if (ncore == 0)
        return 0;
    const int nb = (ncore + tb - 1) / tb;
    init_labels<<<nb, tb>>>(core, ncore, d_label[0]);
    while (flag) {
        cudaMemset(d_flag, 0, sizeof(int));
        propagate<<<nb, tb>>>(core.xy, core.ids, ncore, prm, d_label[cur], d_label[cur ^ 1], d_flag);
        cudaMemcpy(&flag, d_flag, sizeof(int), cudaMemcpyDeviceToHost);
        cur ^= 1;
    }
    return cur;
}
