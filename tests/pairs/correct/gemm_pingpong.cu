// SGEMM with register prefetch and two shared stages.
#include <cassert>
#include <cstdio>
#include <cuda_runtime.h>

constexpr int BM = 64, BN = 64, BK = 8, TM = 4, TN = 4;
constexpr int THREADS = (BM / TM) * (BN / TN); // 256
static_assert(BM * BK == 2 * THREADS && BN * BK == 2 * THREADS, "two elements per thread and tile");

struct Gemm { const float *a, *b; float *c; int m, n, k; };

__global__ void __launch_bounds__(THREADS) gemm(Gemm g)
{
    __shared__ float as[2][BK][BM];
    __shared__ float bs[2][BK][BN];
    const int tid = threadIdx.x;
    const int ty = tid / (BN / TN), tx = tid % (BN / TN);
    const int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN;
    const int arow = tid / BK, acol = tid % BK;      // 32 rows per pass
    const int brow = tid / BN, bcol = tid % BN;      // 4 rows per pass
    float acc[TM][TN] = {};
    float ra[2], rb[2];
    for (int i = 0; i < 2; ++i) {
        ra[i] = g.a[(m0 + arow + 32 * i) * g.k + acol];
        rb[i] = g.b[(brow + 4 * i) * g.n + n0 + bcol];
    }
    int stage = 0;
    for (int k0 = 0; k0 < g.k; k0 += BK) {
        for (int i = 0; i < 2; ++i) {
            as[stage][acol][arow + 32 * i] = ra[i];
            bs[stage][brow + 4 * i][bcol] = rb[i];
        }
        __syncthreads();
        if (k0 + BK < g.k) {
            for (int i = 0; i < 2; ++i) {
                ra[i] = g.a[(m0 + arow + 32 * i) * g.k + k0 + BK + acol];
                rb[i] = g.b[(k0 + BK + brow + 4 * i) * g.n + n0 + bcol];
            }
        }
#pragma unroll
        for (int k = 0; k < BK; ++k)
            for (int i = 0; i < TM; ++i)
                for (int j = 0; j < TN; ++j)
                    acc[i][j] += as[stage][k][ty * TM + i] * bs[stage][k][tx * TN + j];
        stage ^= 1;
    }
    for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j)
            g.c[(m0 + ty * TM + i) * g.n + n0 + tx * TN + j] = acc[i][j];
}

static cudaError_t run(const Gemm &g, cudaStream_t s)
{
    if (g.m % BM || g.n % BN || g.k % BK || g.m <= 0 || g.n <= 0 || g.k <= 0)
        return cudaErrorInvalidValue;
    gemm<<<dim3(g.n / BN, g.m / BM), THREADS, 0, s>>>(g);
    return cudaGetLastError();
}

int main()
{
    Gemm g{nullptr, nullptr, nullptr, 512, 256, 128};
    float *a, *b;
    cudaMalloc(&a, g.m * g.k * sizeof(float));
    cudaMalloc(&b, g.k * g.n * sizeof(float));
    cudaMalloc(&g.c, g.m * g.n * sizeof(float));
    cudaMemset(a, 0, g.m * g.k * sizeof(float));
    cudaMemset(b, 0, g.k * g.n * sizeof(float));
    g.a = a; g.b = b;
    cudaError_t e = run(g, 0);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(e));
    return e != cudaSuccess;
}
