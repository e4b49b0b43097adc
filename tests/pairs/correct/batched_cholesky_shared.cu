// Batched Cholesky of small SPD matrices, one block per matrix, in shared memory.
// Right-looking: column k is scaled, then the trailing triangle is updated.
#include <cuda_runtime.h>
#include <stdexcept>

template <int NMAX>
__global__ void cholesky(float* __restrict__ mats, int n, int* __restrict__ info)
{
    __shared__ float a[NMAX][NMAX + 1];
    __shared__ int bad;
    float* m = mats + (size_t)blockIdx.x * n * n;
    const int t = threadIdx.x, nt = blockDim.x;

    for (int e = t; e < n * n; e += nt) a[e / n][e % n] = m[e];
    if (t == 0) bad = 0;
    __syncthreads();

    for (int k = 0; k < n; ++k) {
        if (t == 0) {
            const float d = a[k][k];
            if (d > 0.f) a[k][k] = sqrtf(d);
            else bad = k + 1;
        }
        __syncthreads();
        if (bad) break;     // one value for the block: written only before the barrier above
        const float inv = 1.f / a[k][k];
        for (int i = k + 1 + t; i < n; i += nt) a[i][k] *= inv;
        __syncthreads();
        const int rest = n - k - 1;
        for (int e = t; e < rest * rest; e += nt) {
            const int i = k + 1 + e / rest, j = k + 1 + e % rest;
            if (j <= i) a[i][j] -= a[i][k] * a[j][k];
        }
        __syncthreads();
    }
    for (int e = t; e < n * n; e += nt) m[e] = e % n <= e / n ? a[e / n][e % n] : 0.f;
    if (t == 0) info[blockIdx.x] = bad;
}

void batchedCholesky(float* mats, int n, int batch, int* info, cudaStream_t s)
{
    if (n < 1 || n > 64) throw std::domain_error("batchedCholesky: 1 <= n <= 64");
    if (batch <= 0) return;
    if (n <= 16) cholesky<16><<<batch, 64, 0, s>>>(mats, n, info);
    else if (n <= 32) cholesky<32><<<batch, 128, 0, s>>>(mats, n, info);
    else cholesky<64><<<batch, 256, 0, s>>>(mats, n, info);
}

int main()
{
    float* m; int* info;
    cudaMalloc(&m, 100 * 40 * 40 * sizeof(float));
    cudaMalloc(&info, 100 * sizeof(int));
    cudaMemset(m, 0, 100 * 40 * 40 * sizeof(float));
    batchedCholesky(m, 40, 100, info, 0);
    batchedCholesky(m, 7, 100, info, 0);
    cudaDeviceSynchronize();
    cudaFree(m);
    cudaFree(info);
    return 0;
}
