/*
 * Weighted histogram with bit-reproducible sums: every thread owns one bin and looks at all
 * values of the tile, so that the order of additions is fixed.
 */
#include <cuda_runtime.h>
#include <stdio.h>

#define NBINS 64
#define TILE  512

typedef struct {
    float lo, hi;
    int   n;
} hist_range_t;

__device__ int bin_of(float v, hist_range_t r)
{
    int b = (int)((v - r.lo) / (r.hi - r.lo) * NBINS);
    return b < 0 ? 0 : (b >= NBINS ? NBINS - 1 : b);
}

__global__ void weighted_hist(const float *value, const float *weight, hist_range_t r, float *partial)
{
    __shared__ unsigned char bin[TILE];
    __shared__ float w[TILE];
    __shared__ float h[NBINS];

    h[threadIdx.x] = 0.f;
    for (int base = blockIdx.x * TILE; base < r.n; base += gridDim.x * TILE) {
        int cnt = min(TILE, r.n - base);
        for (int i = threadIdx.x; i < cnt; i += NBINS) {
            bin[i] = (unsigned char)bin_of(value[base + i], r);
            w[i] = weight[base + i];
        }
        __syncthreads();
        for (int i = 0; i < cnt; ++i)
            if (bin[i] == threadIdx.x)
                h[bin[i]] += w[i];
        __syncthreads();
    }
    partial[blockIdx.x * NBINS + threadIdx.x] = h[threadIdx.x];
}

__global__ void sum_partials(const float *partial, int nparts, float *out)
{
    float s = 0.f;
    for (int p = 0; p < nparts; ++p)
        s += partial[p * NBINS + threadIdx.x];
    out[threadIdx.x] = s;
}

int reproducible_histogram(const float *d_value, const float *d_weight, int n, float lo, float hi, float *h_out)
{
    hist_range_t r = { lo, hi, n };
    int blocks = (n + TILE - 1) / TILE;
    if (blocks > 240) blocks = 240;
    if (blocks < 1) return 0;
    float *d_partial, *d_out;
    if (cudaMalloc((void **)&d_partial, blocks * NBINS * sizeof(float)) != cudaSuccess) return -1;
    if (cudaMalloc((void **)&d_out, NBINS * sizeof(float)) != cudaSuccess) {
        cudaFree(d_partial);
        return -1;
    }
    weighted_hist<<<blocks, NBINS>>>(d_value, d_weight, r, d_partial);
    sum_partials<<<1, NBINS>>>(d_partial, blocks, d_out);
    cudaMemcpy(h_out, d_out, NBINS * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_partial);
    cudaFree(d_out);
    return cudaGetLastError() == cudaSuccess ? 0 : -1;
}
