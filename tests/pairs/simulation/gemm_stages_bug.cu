// SGEMM, 64x64 tiles, double-buffered cp.async. Build: nvcc -arch=sm_80
#include <cuda_runtime.h>
#include <cuda_pipeline.h>
#include <cstdio>

namespace gemm {

constexpr int BM = 64, BN = 64, BK = 16;
constexpr int kThreads = 256;
constexpr int TM = 4, TN = 4;

struct Operand {
    const float* p;
    int ld;
    __device__ const float* at(int r, int c) const { return p + size_t(r) * ld + c; }
};

struct Stage {
    float a[BM][BK];
    float b[BK][BN];
};

__device__ __forceinline__ void copy16(float* dst, const float* src)
{
    __pipeline_memcpy_async(dst, src, 4 * sizeof(float));
}

__device__ void fetchStage(Stage& st, const Operand& A, const Operand& B, int row0, int col0,
                           int k0)
{
    const int t = threadIdx.x;
    const int ar = t / (BK / 4), ac = t % (BK / 4) * 4;
    const int br = t / (BN / 4), bc = t % (BN / 4) * 4;
    copy16(&st.a[ar][ac], A.at(row0 + ar, k0 + ac));
    copy16(&st.b[br][bc], B.at(k0 + br, col0 + bc));
}

__device__ void multiplyStage(const Stage& st, float (&acc)[TM][TN], int ty, int tx)
{
#pragma unroll
    for (int k = 0; k < BK; ++k) {
        float ra[TM], rb[TN];
#pragma unroll
        for (int i = 0; i < TM; ++i)
            ra[i] = st.a[ty * TM + i][k];
#pragma unroll
        for (int j = 0; j < TN; ++j)
            rb[j] = st.b[k][tx * TN + j];
#pragma unroll
        for (int i = 0; i < TM; ++i)
#pragma unroll
            for (int j = 0; j < TN; ++j)
                acc[i][j] = fmaf(ra[i], rb[j], acc[i][j]);
    }
}

__global__ void __launch_bounds__(kThreads)
sgemmKernel(Operand A, Operand B, float* __restrict__ C, int ldc, int K, float alpha)
{
    __shared__ __align__(16) Stage stages[2];
    const int row0 = blockIdx.y * BM;
    const int col0 = blockIdx.x * BN;
    const int tx = threadIdx.x % (BN / TN);
    const int ty = threadIdx.x / (BN / TN);
    float acc[TM][TN] = {};

    const int nk = K / BK;
    fetchStage(stages[0], A, B, row0, col0, 0);
    __pipeline_commit();
    for (int kt = 0; kt < nk; ++kt) {
        if (kt + 1 < nk) {
            fetchStage(stages[(kt + 1) & 1], A, B, row0, col0, (kt + 1) * BK);
            __pipeline_commit();
        }
        __pipeline_wait_prior(1);
        __syncthreads();
        multiplyStage(stages[kt & 1], acc, ty, tx);
        __syncthreads();
    }

#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j)
            C[size_t(row0 + ty * TM + i) * ldc + col0 + tx * TN + j] = alpha * acc[i][j];
}

cudaError_t sgemm(int M, int N, int K, float alpha, const float* A, int lda, const float* B,
                  int ldb, float* C, int ldc, cudaStream_t s)
{
    if (M <= 0 || N <= 0 || K <= 0 || M % BM || N % BN || K % BK || lda % 4 || ldb % 4)
        return cudaErrorInvalidValue;
    const dim3 grid(N / BN, M / BM);
    sgemmKernel<<<grid, kThreads, 0, s>>>(Operand{A, lda}, Operand{B, ldb}, C, ldc, K, alpha);
    return cudaGetLastError();
}

} // namespace gemm
