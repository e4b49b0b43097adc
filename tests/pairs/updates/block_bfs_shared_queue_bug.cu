// Many small graphs: every block explores one molecule graph from its root atom (shared queue).
#include <cuda_runtime.h>

#define MAX_ATOMS 256
#define NBR_SLOTS 8

struct MoleculeBatch {
    const int *atom_ptr;     // first atom of each molecule
    const int *nbr;          // [total_atoms][NBR_SLOTS], local numbers, -1 = none
    int count;
};

__global__ void topoDistance(MoleculeBatch mb, const int *__restrict__ root, int *dist)
{
    __shared__ int level[MAX_ATOMS];
    __shared__ int queue[2][MAX_ATOMS];
    __shared__ int tail[2];

    const int m = blockIdx.x;
    const int base = mb.atom_ptr[m];
    const int n = mb.atom_ptr[m + 1] - base;
    for (int a = threadIdx.x; a < n; a += blockDim.x)
        level[a] = -1;
    __syncthreads();
    if (threadIdx.x == 0) {
        level[root[m]] = 0;
        queue[0][0] = root[m];
        tail[0] = 1;
        tail[1] = 0;
    }
    __syncthreads();

    for (int d = 1, cur = 0; tail[cur] > 0; ++d, cur ^= 1) {
        const int work = tail[cur] * NBR_SLOTS;
        for (int w = threadIdx.x; w < work; w += blockDim.x) {
            const int u = queue[cur][w / NBR_SLOTS];
            const int v = mb.nbr[(base + u) * NBR_SLOTS + w % NBR_SLOTS];
            if (v < 0)
                continue;
            if (atomicCAS(&level[v], -1, d) == -1) {
                const int pos = tail[cur ^ 1];
                tail[cur ^ 1] = pos + 1;
                queue[cur ^ 1][pos] = v;
            }
        }
        __syncthreads();
        if (threadIdx.x == 0)
            tail[cur] = 0;
        __syncthreads();
    }
    for (int a = threadIdx.x; a < n; a += blockDim.x)
        dist[base + a] = level[a];
}

__global__ void eccentricity(MoleculeBatch mb, const int *__restrict__ dist, int *ecc)
{
    const int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= mb.count)
        return;
    int e = 0;
    for (int a = mb.atom_ptr[m]; a < mb.atom_ptr[m + 1]; ++a)
        e = max(e, dist[a]);
    ecc[m] = e;
}

// Molecules above MAX_ATOMS are rejected by the reader.
bool topologicalEccentricity(MoleculeBatch mb, const int *d_root, int *d_dist, int *d_ecc)
{
    if (mb.count == 0)
        return true;
    topoDistance<<<mb.count, 128>>>(mb, d_root, d_dist);
    eccentricity<<<(mb.count + 63) / 64, 64>>>(mb, d_dist, d_ecc);
    return cudaDeviceSynchronize() == cudaSuccess;
}
