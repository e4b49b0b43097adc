// Lloyd k-means with privatised centroid sums (one warp per block walks the points).
#include <cuda_runtime.h>
#include <cfloat>
#include <algorithm>

#define KM_WARP 32
#define KM_MAX_COPIES 64

struct KmeansWork {
    float *sums;     // [copies][k][dim]
    int   *counts;   // [copies][k]
    int    copies;
    int    k, dim;
};

__device__ int nearest(const float *x, const float *cent, int k, int dim)
{
    int lane = threadIdx.x, arg = 0;
    float best = FLT_MAX;
    for (int c = 0; c < k; c++) {
        float d = 0.f;
        for (int j = lane; j < dim; j += KM_WARP) {
            float t = x[j] - cent[c * dim + j];
            d += t * t;
        }
        for (int o = 16; o > 0; o >>= 1) d += __shfl_xor_sync(0xffffffffu, d, o);
        if (d < best) { best = d; arg = c; }
    }
    return arg;
}

__global__ void assign_accumulate(const float *__restrict__ x, int n, const float *__restrict__ cent, int *label,
                                  KmeansWork w)
{
    const int lane = threadIdx.x;
    const int copy = blockIdx.x % w.copies;
    float *sum = w.sums + (size_t)copy * w.k * w.dim;
    int *cnt = w.counts + copy * w.k;
    for (int i = blockIdx.x; i < n; i += gridDim.x) {
        const float *p = x + (size_t)i * w.dim;
        int c = nearest(p, cent, w.k, w.dim);
        for (int j = lane; j < w.dim; j += KM_WARP)
            sum[c * w.dim + j] += p[j];
        if (lane == 0) {
            label[i] = c;
            cnt[c]++;
        }
    }
}

__global__ void reduce_copies(KmeansWork w, float *cent)
{
    int c = blockIdx.x;
    int total = 0;
    for (int q = 0; q < w.copies; q++) total += w.counts[q * w.k + c];
    if (total == 0) return;
    for (int j = threadIdx.x; j < w.dim; j += blockDim.x) {
        float s = 0.f;
        for (int q = 0; q < w.copies; q++) s += w.sums[((size_t)q * w.k + c) * w.dim + j];
        cent[c * w.dim + j] = s / total;
    }
}

void kmeans(const float *d_x, int n, int dim, int k, float *d_cent, int *d_label, int iters)
{
    cudaDeviceProp prop;
    cudaGetDeviceProperties(&prop, 0);
    int blocks = std::min(n, prop.multiProcessorCount * 16);
    KmeansWork w;
    w.k = k;
    w.dim = dim;
    w.copies = std::min(blocks, KM_MAX_COPIES);
    cudaMalloc(&w.sums, sizeof(float) * (size_t)w.copies * k * dim);
    cudaMalloc(&w.counts, sizeof(int) * w.copies * k);
    for (int it = 0; it < iters; it++) {
        cudaMemset(w.sums, 0, sizeof(float) * (size_t)w.copies * k * dim);
        cudaMemset(w.counts, 0, sizeof(int) * w.copies * k);
        assign_accumulate<<<blocks, KM_WARP>>>(d_x, n, d_cent, d_label, w);
        reduce_copies<<<k, 128>>>(w, d_cent);
    }
    cudaFree(w.sums);
    cudaFree(w.counts);
}
