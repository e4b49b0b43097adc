// LayerNorm backward. A block takes kRows rows at a time, two warps for each row;
// the block's share of dgamma/dbeta goes to a partial buffer that is summed later.
#include <cuda_runtime.h>
#include <stdio.h>

constexpr int kTx = 64;
constexpr int kRows = 4;
constexpr int kMaxCols = 1024;
constexpr int kPer = kMaxCols / kTx;

struct LnArgs {
    const float *dy, *x, *gamma, *mean, *rstd;
    float *dx;
    float *part_dgamma, *part_dbeta;  // [gridDim.x, cols]
    int rows, cols;
};

struct RowScratch {
    float a[kRows][2];
    float b[kRows][2];
};

// Sums (a, b) over the two warps of a row.
__device__ float2 row_sums(float a, float b, RowScratch& s) {
    for (int o = 16; o; o >>= 1) {
        a += __shfl_down_sync(0xffffffffu, a, o);
        b += __shfl_down_sync(0xffffffffu, b, o);
    }
    const int half = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) {
        s.a[threadIdx.y][half] = a;
        s.b[threadIdx.y][half] = b;
    }
    __syncthreads();
    const float2 r = make_float2(s.a[threadIdx.y][0] + s.a[threadIdx.y][1],
                                 s.b[threadIdx.y][0] + s.b[threadIdx.y][1]);
    __syncthreads();
    return r;
}

__global__ void __launch_bounds__(kTx* kRows) ln_bwd(LnArgs p) {
    __shared__ RowScratch scratch;
    __shared__ float fold[kRows][kTx];

    float dg[kPer], db[kPer];
#pragma unroll
    for (int i = 0; i < kPer; ++i) dg[i] = db[i] = 0.f;

    for (int row0 = blockIdx.x * kRows; row0 < p.rows; row0 += gridDim.x * kRows) {
        const int row = row0 + threadIdx.y;
        const bool in = row < p.rows;
        const size_t off = (size_t)(in ? row : 0) * p.cols;
        const float mu = in ? p.mean[row] : 0.f;
        const float rs = in ? p.rstd[row] : 0.f;
        float s1 = 0.f, s2 = 0.f;
#pragma unroll
        for (int i = 0; i < kPer; ++i) {
            const int c = threadIdx.x + i * kTx;
            if (!in || c >= p.cols) continue;
            const float g = p.dy[off + c];
            const float xh = (p.x[off + c] - mu) * rs;
            const float gg = g * p.gamma[c];
            s1 += gg;
            s2 += gg * xh;
            dg[i] += g * xh;
            db[i] += g;
        }
        const float2 s = row_sums(s1, s2, scratch);
        const float m1 = s.x / p.cols, m2 = s.y / p.cols;
#pragma unroll
        for (int i = 0; i < kPer; ++i) {
            const int c = threadIdx.x + i * kTx;
            if (!in || c >= p.cols) continue;
            const float xh = (p.x[off + c] - mu) * rs;
            p.dx[off + c] = (p.dy[off + c] * p.gamma[c] - m1 - xh * m2) * rs;
        }
    }

    // fold the four rows of threads, one slice of kTx columns after the other
#pragma unroll
    for (int i = 0; i < kPer; ++i) {
        if (i * kTx >= p.cols) break;
        const int c = threadIdx.x + i * kTx;
        fold[threadIdx.y][threadIdx.x] = dg[i];
        __syncthreads();
        if (threadIdx.y == 0 && c < p.cols) {
            float v = 0.f;
            for (int r = 0; r < kRows; ++r) v += fold[r][threadIdx.x];
            p.part_dgamma[(size_t)blockIdx.x * p.cols + c] = v;
        }
        __syncthreads();
        fold[threadIdx.y][threadIdx.x] = db[i];
        __syncthreads();
        if (threadIdx.y == 1 && c < p.cols) {
            float v = 0.f;
            for (int r = 0; r < kRows; ++r) v += fold[r][threadIdx.x];
            p.part_dbeta[(size_t)blockIdx.x * p.cols + c] = v;
        }
        __syncthreads();
    }
}

__global__ void sum_parts(const float* part, float* out, int nparts, int cols) {
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    float s = 0.f;
    for (int i = 0; i < nparts; ++i) s += part[(size_t)i * cols + c];
    out[c] = s;
}

int layernorm_backward(const LnArgs& args, float* dgamma, float* dbeta, int max_blocks, cudaStream_t st) {
    if (args.cols < 1 || args.cols > kMaxCols || args.rows < 1 || max_blocks < 1) return 1;
    int grid = (args.rows + kRows - 1) / kRows;
    if (grid > max_blocks) grid = max_blocks;
    ln_bwd<<<grid, dim3(kTx, kRows), 0, st>>>(args);
    const int g2 = (args.cols + 127) / 128;
    sum_parts<<<g2, 128, 0, st>>>(args.part_dgamma, dgamma, grid, args.cols);
    sum_parts<<<g2, 128, 0, st>>>(args.part_dbeta, dbeta, grid, args.cols);
    return cudaGetLastError() != cudaSuccess;
}
