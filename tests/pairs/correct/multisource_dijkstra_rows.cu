// Transit distances from many sources: one thread runs Dijkstra with its own heap and distance row.
#include <cuda_runtime.h>
#include <cfloat>
#include <cstdio>

struct RoadNet {
    int n, m;
    const int *head;      // n + 1
    const int *to;
    const float *len;
};

struct HeapItem {
    float key;
    int node;
};

struct Heap {
    HeapItem *a;
    int size;
    __device__ void push(float k, int v)
    {
        int i = size++;
        while (i > 0 && a[(i - 1) / 2].key > k) {
            a[i] = a[(i - 1) / 2];
            i = (i - 1) / 2;
        }
        a[i].key = k;
        a[i].node = v;
    }
    __device__ HeapItem pop()
    {
        HeapItem top = a[0], last = a[--size];
        int i = 0;
        for (;;) {
            int c = 2 * i + 1;
            if (c >= size) break;
            if (c + 1 < size && a[c + 1].key < a[c].key) ++c;
            if (a[c].key >= last.key) break;
            a[i] = a[c];
            i = c;
        }
        if (size > 0) a[i] = last;
        return top;
    }
};

// dist, pred: [sources][n]; heaps: [sources][m + 1]
__global__ void dijkstra(RoadNet g, const int *__restrict__ src, int sources, float *dist, int *pred, HeapItem *heaps)
{
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= sources)
        return;
    float *d = dist + (size_t)s * g.n;
    int *p = pred + (size_t)s * g.n;
    Heap h = { heaps + (size_t)s * (g.m + 1), 0 };
    for (int v = 0; v < g.n; ++v) {
        d[v] = FLT_MAX;
        p[v] = -1;
    }
    d[src[s]] = 0.f;
    h.push(0.f, src[s]);
    while (h.size > 0) {
        const HeapItem it = h.pop();
        if (it.key > d[it.node])
            continue;                        // stale entry
        for (int e = g.head[it.node]; e < g.head[it.node + 1]; ++e) {
            const int v = g.to[e];
            const float nd = it.key + g.len[e];
            if (nd < d[v]) {
                d[v] = nd;
                p[v] = it.node;
                h.push(nd, v);
            }
        }
    }
}

__global__ void closest_facility(const float *__restrict__ dist, int sources, int n, int *facility)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    int best = 0;
    for (int s = 1; s < sources; ++s)
        if (dist[(size_t)s * n + v] < dist[(size_t)best * n + v])
            best = s;
    facility[v] = best;
}

int assign_facilities(const RoadNet &g, const int *d_src, int sources, float *d_dist, int *d_pred, int *d_facility)
{
    HeapItem *heaps;
    if (cudaMalloc(&heaps, sizeof(HeapItem) * (size_t)sources * (g.m + 1)) != cudaSuccess) {
        fprintf(stderr, "no memory for %d heaps\n", sources);
        return -1;
    }
    dijkstra<<<(sources + 31) / 32, 32>>>(g, d_src, sources, d_dist, d_pred, heaps);
    closest_facility<<<(g.n + 255) / 256, 256>>>(d_dist, sources, g.n, d_facility);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(heaps);
    return e == cudaSuccess ? 0 : -1;
}
