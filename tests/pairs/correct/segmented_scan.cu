// Segmented sum by head flags inside each warp; used for COO SpMV partials.
#include <cuda_runtime.h>

struct CooView {
    const int*   row;
    const int*   col;
    const float* val;
    int          nnz;
};

// Inclusive scan of v restarted at every lane whose bit is set in heads.
__device__ float warp_segscan(float v, unsigned heads, int lane)
{
    // position of the head that governs this lane
    unsigned upto = heads & (0xffffffffu >> (31 - lane));
    const int first = upto ? 31 - __clz(upto) : 0;
    const int dist  = lane - first;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        float o = __shfl_up_sync(0xffffffffu, v, d);
        if (d <= dist) v += o;
    }
    return v;
}

__global__ void spmv_coo(CooView a, const float* __restrict__ x, float* __restrict__ y)
{
    const int lane = threadIdx.x & 31;
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    const int warps_total = (gridDim.x * blockDim.x) >> 5;

    const int chunks = (a.nnz + 31) / 32;
    for (int ch = warp; ch < chunks; ch += warps_total) {
        const int i = ch * 32 + lane;
        const bool live = i < a.nnz;
        const int r = live ? a.row[i] : -1;
        float p = live ? a.val[i] * x[a.col[i]] : 0.f;

        const int prev = __shfl_up_sync(0xffffffffu, r, 1);
        const bool head = lane == 0 || prev != r;
        const unsigned heads = __ballot_sync(0xffffffffu, head);

        p = warp_segscan(p, heads, lane);

        // The last lane of each run publishes the run's sum.
        const bool tail = lane == 31 || ((heads >> (lane + 1)) & 1u);
        if (live && tail) atomicAdd(&y[r], p);
    }
}

int coo_multiply(CooView a, const float* x, float* y, int rows, cudaStream_t s)
{
    if (cudaMemsetAsync(y, 0, sizeof(float) * rows, s) != cudaSuccess) return 1;
    if (a.nnz == 0) return 0;
    const int block = 128;
    int grid = (a.nnz + block - 1) / block;
    grid = grid < 2048 ? grid : 2048;
    spmv_coo<<<grid, block, 0, s>>>(a, x, y);
    return cudaGetLastError() != cudaSuccess;
}
