// Pairwise aggregation for AMG: mutual strongest-neighbour matching ("handshake").
#include <cuda_runtime.h>
#include <cstdio>

struct Matrix {
    int n;
    const int *row;
    const int *col;
    const float *a;
};

__device__ __forceinline__ float edge_weight(const Matrix &m, int p, float di, float dj)
{
    return fabsf(m.a[p]) / fmaxf(1e-30f, fmaxf(fabsf(di), fabsf(dj)));
}

__device__ bool better(float w, int lo, int hi, float bw, int blo, int bhi)
{
    if (w != bw) return w > bw;
    if (lo != blo) return lo < blo;
    return hi < bhi;
}

// strongest[i] = partner wished by i, or -1
__global__ void find_strongest(Matrix m, const float *__restrict__ diag, const int *__restrict__ partner, int *strongest)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m.n) return;
    int best = -1;
    float bw = -1.f;
    if (partner[i] < 0)
        for (int p = m.row[i]; p < m.row[i + 1]; ++p) {
            const int j = m.col[p];
            if (j == i || partner[j] >= 0) continue;
            const float w = edge_weight(m, p, diag[i], diag[j]);
            if (best < 0 || better(w, min(i, j), max(i, j), bw, min(i, best), max(i, best))) {
                bw = w;
                best = j;
            }
        }
    strongest[i] = best;
}

// The smaller row of an agreeing pair writes both entries; a row is in at most one agreeing pair.
__global__ void shake_hands(int n, const int *__restrict__ strongest, int *partner, int *matched)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int j = strongest[i];
    if (j > i && strongest[j] == i) {
        partner[i] = j;
        partner[j] = i;
        atomicAdd(matched, 2);
    }
}

__global__ void number_aggregates(int n, const int *__restrict__ partner, int *aggregate, int *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int j = partner[i];
    if (j >= 0 && j < i) return;        // numbered by its partner
    const int id = atomicAdd(count, 1);
    aggregate[i] = id;
    if (j >= 0) aggregate[j] = id;
}

int pairwise_aggregation(const Matrix &m, const float *d_diag, int *d_partner, int *d_wish, int *d_agg, int *d_cnt)
{
    const int tb = 128, nb = (m.n + tb - 1) / tb;
    int total = 0, before = -1, naggr = 0;
    cudaMemset(d_partner, 0xff, m.n * sizeof(int));
    cudaMemset(d_cnt, 0, 2 * sizeof(int));
    for (int it = 0; it < 15 && total != before; ++it) {
        before = total;
        find_strongest<<<nb, tb>>>(m, d_diag, d_partner, d_wish);
        shake_hands<<<nb, tb>>>(m.n, d_wish, d_partner, d_cnt);
        cudaMemcpy(&total, d_cnt, sizeof(int), cudaMemcpyDeviceToHost);
    }
    number_aggregates<<<nb, tb>>>(m.n, d_partner, d_agg, d_cnt + 1);
    cudaMemcpy(&naggr, d_cnt + 1, sizeof(int), cudaMemcpyDeviceToHost);
    return naggr;
}
