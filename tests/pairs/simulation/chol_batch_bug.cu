// Batched Cholesky factorisation of small SPD matrices. Build: nvcc -arch=sm_80
#include <cuda_runtime.h>
#include <cstdio>

namespace dense {

constexpr int kMaxN = 64;
constexpr int kThreads = 64;

// Lower triangle, row-packed.
struct PackedLower {
    float* s;
    __device__ float& operator()(int r, int c) { return s[r * (r + 1) / 2 + c]; }
};

__device__ void loadLower(PackedLower L, const float* A, int n)
{
    for (int r = 0; r < n; ++r)
        for (int c = threadIdx.x; c <= r; c += kThreads)
            L(r, c) = A[size_t(r) * n + c];
}

__device__ void storeLower(PackedLower L, float* A, int n)
{
    for (int r = 0; r < n; ++r)
        for (int c = threadIdx.x; c <= r; c += kThreads)
            A[size_t(r) * n + c] = L(r, c);
}

__global__ void __launch_bounds__(kThreads)
choleskyKernel(float* __restrict__ mats, int n, int* __restrict__ info)
{
    extern __shared__ float s_mem[];
    PackedLower L{s_mem};
    float* A = mats + size_t(blockIdx.x) * n * n;
    const int row = threadIdx.x;

    loadLower(L, A, n);
    __syncthreads();

    for (int j = 0; j < n; ++j) {
        if (row == j) {
            const float d = L(j, j);
            if (d <= 0.f) {
                info[blockIdx.x] = j + 1;
                return;
            }
            L(j, j) = sqrtf(d);
        }
        __syncthreads();
        if (row > j && row < n)
            L(row, j) /= L(j, j);
        __syncthreads();
        if (row > j && row < n)
            for (int c = j + 1; c <= row; ++c)
                L(row, c) -= L(row, j) * L(c, j);
        __syncthreads();
    }
    storeLower(L, A, n);
}

struct CholeskyPlan {
    int n;
    int batch;
    size_t smem() const { return size_t(n) * (n + 1) / 2 * sizeof(float); }
};

cudaError_t cholesky(const CholeskyPlan& plan, float* mats, int* info, cudaStream_t s)
{
    if (plan.n < 1 || plan.n > kMaxN)
        return cudaErrorInvalidValue;
    cudaError_t e = cudaMemsetAsync(info, 0, plan.batch * sizeof(int), s);
    if (e != cudaSuccess)
        return e;
    choleskyKernel<<<plan.batch, kThreads, plan.smem(), s>>>(mats, plan.n, info);
    return cudaGetLastError();
}

} // namespace dense
