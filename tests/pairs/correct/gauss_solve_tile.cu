// Batched 8x8 linear solves with partial pivoting, a tile of 8 lanes per system.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

constexpr int N = 8;

// Lane r owns row r of the augmented matrix.
__global__ void solve8(const double* __restrict__ A, const double* __restrict__ b,
                       double* __restrict__ x, int* __restrict__ info, int batch)
{
    auto tile = cg::tiled_partition<N>(cg::this_thread_block());
    const int sys = (blockIdx.x * blockDim.x + threadIdx.x) / N;
    if (sys >= batch) return;
    const int r = tile.thread_rank();

    double a[N + 1];
#pragma unroll
    for (int c = 0; c < N; ++c) a[c] = A[(size_t)sys * N * N + r * N + c];
    a[N] = b[(size_t)sys * N + r];

    int used = 0;        // 1 + column this row was the pivot of
    int status = 0;
#pragma unroll
    for (int k = 0; k < N; ++k) {
        // largest |a[k]| among the rows that are not pivots yet
        double mag = used ? -1.0 : fabs(a[k]);
        int who = r;
#pragma unroll
        for (int m = N / 2; m > 0; m /= 2) {
            const double om = tile.shfl_xor(mag, m);
            const int ow = tile.shfl_xor(who, m);
            if (om > mag || (om == mag && ow < who)) {
                mag = om;
                who = ow;
            }
        }
        mag = tile.shfl(mag, 0);     // one opinion even when NaNs spoil the comparisons
        who = tile.shfl(who, 0);
        if (mag == 0.0) {            // singular; every lane of the tile agrees
            status = k + 1;
            break;
        }
        if (r == who) used = k + 1;
        const double inv = 1.0 / tile.shfl(a[k], who);
        const double f = a[k] * inv;
#pragma unroll
        for (int c = 0; c <= N; ++c) {
            const double p = tile.shfl(a[c], who);
            if (c >= k) {
                if (r == who) a[c] = p * inv;
                else          a[c] -= f * p;
            }
        }
    }

    if (status == 0 && used) x[(size_t)sys * N + used - 1] = a[N];
    if (r == 0) info[sys] = status;
}

cudaError_t batched_solve8(const double* A, const double* b, double* x, int* info, int batch,
                           cudaStream_t s)
{
    if (batch <= 0) return cudaErrorInvalidValue;
    const int threads = 64;
    const int per_block = threads / N;
    solve8<<<(batch + per_block - 1) / per_block, threads, 0, s>>>(A, b, x, info, batch);
    return cudaGetLastError();
}
