// Single precision GEMM, 64x64 tiles, two shared buffers and one barrier per step.
#include <cuda_runtime.h>

constexpr int BM = 64, BN = 64, BK = 8;
constexpr int TM = 4, TN = 4;
constexpr int THREADS = (BM / TM) * (BN / TN);      // 256

struct GemmArgs {
    int m, n, k;
    const float* a; int lda;
    const float* b; int ldb;
    float* c;       int ldc;
    float alpha, beta;
};

__device__ __forceinline__ void fetch(const GemmArgs& g, int row0, int col0, int k0, float (&ra)[2],
                                      float (&rb)[2])
{
#pragma unroll
    for (int h = 0; h < 2; ++h) {
        const int t = threadIdx.x + h * THREADS;
        const int ar = row0 + t / BK, ak = k0 + t % BK;
        ra[h] = (ar < g.m && ak < g.k) ? g.a[(size_t)ar * g.lda + ak] : 0.f;
        const int bk = k0 + t / BN, bc = col0 + t % BN;
        rb[h] = (bk < g.k && bc < g.n) ? g.b[(size_t)bk * g.ldb + bc] : 0.f;
    }
}

__global__ __launch_bounds__(THREADS) void sgemm(GemmArgs g)
{
    __shared__ float As[2][BK][BM + 1];
    __shared__ float Bs[2][BK][BN];

    const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    const int ty = threadIdx.x / (BN / TN), tx = threadIdx.x % (BN / TN);
    float acc[TM][TN] = {};
    float ra[2], rb[2];

    auto store = [&](int buf) {
#pragma unroll
        for (int h = 0; h < 2; ++h) {
            const int t = threadIdx.x + h * THREADS;
            As[buf][t % BK][t / BK] = ra[h];
            Bs[buf][t / BN][t % BN] = rb[h];
        }
    };

    fetch(g, row0, col0, 0, ra, rb);
    store(0);
    __syncthreads();

    int buf = 0;
    for (int k0 = 0; k0 < g.k; k0 += BK) {
        const bool more = k0 + BK < g.k;
        if (more) fetch(g, row0, col0, k0 + BK, ra, rb);
#pragma unroll
        for (int kk = 0; kk < BK; ++kk) {
            float fa[TM], fb[TN];
#pragma unroll
            for (int i = 0; i < TM; ++i) fa[i] = As[buf][kk][ty * TM + i];
#pragma unroll
            for (int j = 0; j < TN; ++j) fb[j] = Bs[buf][kk][tx * TN + j];
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j) acc[i][j] += fa[i] * fb[j];
        }
        if (more) {
            store(buf ^ 1);
            __syncthreads();
            buf ^= 1;
        }
    }

    for (int i = 0; i < TM; ++i) {
        const int r = row0 + ty * TM + i;
        if (r >= g.m) break;
        for (int j = 0; j < TN; ++j) {
            const int c = col0 + tx * TN + j;
            if (c < g.n) {
                float* p = &g.c[(size_t)r * g.ldc + c];
                *p = g.alpha * acc[i][j] + (g.beta != 0.f ? g.beta * *p : 0.f);
            }
        }
    }
}

cudaError_t run_sgemm(const GemmArgs& g, cudaStream_t s)
{
    if (g.m <= 0 || g.n <= 0 || g.k <= 0) return cudaErrorInvalidValue;
    dim3 grid((g.n + BN - 1) / BN, (g.m + BM - 1) / BM);
    sgemm<<<grid, THREADS, 0, s>>>(g);
    return cudaGetLastError();
}
