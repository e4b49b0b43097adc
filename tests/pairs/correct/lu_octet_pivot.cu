// Batched LU with row pivoting of 8x8 matrices; lane r of an octet holds row r.
#include <cuda_runtime.h>
#include <stdexcept>

template <int N>
__global__ void batched_lu(float *mats, int *perm, int *info, int batch)
{
    static_assert(N == 8, "one octet per matrix");
    const int m = blockIdx.x * (blockDim.x / N) + threadIdx.x / N;
    if (m >= batch)
        return;
    const int r = threadIdx.x % N;
    const unsigned mask = 0xffu << ((threadIdx.x & 31) & ~7);
    float *a = mats + (size_t)m * N * N;

    float row[N];
#pragma unroll
    for (int c = 0; c < N; ++c)
        row[c] = a[r * N + c];
    int origin = r;
    int status = 0;

#pragma unroll
    for (int k = 0; k < N; ++k) {
        float best = r >= k ? fmaxf(fabsf(row[k]), 0.0f) : -1.0f;  // NaN counts as zero
        int who = r;
        for (int d = 4; d; d >>= 1) {
            const float ob = __shfl_xor_sync(mask, best, d, N);
            const int ow = __shfl_xor_sync(mask, who, d, N);
            if (ob > best || (ob == best && ow < who)) {
                best = ob;
                who = ow;
            }
        }
        if (!(best > 1e-20f)) {
            status = k + 1;
            break;
        }
        // swap rows k and who
        const int src = r == k ? who : (r == who ? k : r);
        origin = __shfl_sync(mask, origin, src, N);
#pragma unroll
        for (int c = 0; c < N; ++c)
            row[c] = __shfl_sync(mask, row[c], src, N);

        const float pivot = __shfl_sync(mask, row[k], k, N);
        float f = 0.0f;
        if (r > k) {
            f = row[k] / pivot;
            row[k] = f;
        }
#pragma unroll
        for (int c = k + 1; c < N; ++c) {
            const float u = __shfl_sync(mask, row[c], k, N);
            if (r > k)
                row[c] -= f * u;
        }
    }
#pragma unroll
    for (int c = 0; c < N; ++c)
        a[r * N + c] = row[c];
    perm[m * N + r] = origin;
    if (r == 0)
        info[m] = status;
}

void lu8(float *mats, int *perm, int *info, int batch, cudaStream_t s)
{
    if (batch < 0 || batch > (1 << 24))
        throw std::invalid_argument("lu8: batch");
    if (batch == 0)
        return;
    const int per_block = 64 / 8;
    batched_lu<8><<<(batch + per_block - 1) / per_block, 64, 0, s>>>(mats, perm, info, batch);
    if (cudaGetLastError() != cudaSuccess)
        throw std::runtime_error("lu8: launch");
}
