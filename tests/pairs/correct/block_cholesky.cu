// Batched Cholesky factorisation (lower), a block per matrix of order up to 64.
#include <cuda_runtime.h>
#include <stdexcept>

extern __shared__ double tri[];

__global__ void cholesky(double *mats, int n, int *info)
{
    const int ld = n + 1;
    double *a = mats + (size_t)blockIdx.x * n * n;
    for (int e = threadIdx.x; e < n * n; e += blockDim.x)
        tri[(e / n) * ld + e % n] = a[e];
    __syncthreads();

    for (int k = 0; k < n; ++k) {
        const double pivot = tri[k * ld + k];
        if (!(pivot > 0.0)) {
            // the same for all threads: the element is not written until the next barrier
            if (threadIdx.x == 0)
                info[blockIdx.x] = k + 1;
            return;
        }
        const double d = sqrt(pivot);
        __syncthreads();  // all have read the pivot

        for (int r = k + threadIdx.x; r < n; r += blockDim.x) {
            if (r == k)
                tri[k * ld + k] = d;
            else
                tri[r * ld + k] /= d;
        }
        __syncthreads();

        const int m = n - k - 1;
        for (int e = threadIdx.x; e < m * m; e += blockDim.x) {
            const int r = k + 1 + e / m;
            const int c = k + 1 + e % m;
            if (c <= r)
                tri[r * ld + c] -= tri[r * ld + k] * tri[c * ld + k];
        }
        __syncthreads();
    }

    for (int e = threadIdx.x; e < n * n; e += blockDim.x) {
        const int r = e / n, c = e % n;
        a[e] = c <= r ? tri[r * ld + c] : 0.0;
    }
    if (threadIdx.x == 0)
        info[blockIdx.x] = 0;
}

void factor(double *mats, int n, int batch, int *info, cudaStream_t stream)
{
    if (n < 1 || n > 64 || batch < 0)
        throw std::invalid_argument("cholesky: order must be 1..64");
    if (batch == 0)
        return;
    const size_t bytes = sizeof(double) * n * (n + 1);
    const int threads = n <= 16 ? 64 : 256;
    cholesky<<<batch, threads, bytes, stream>>>(mats, n, info);
    if (cudaGetLastError() != cudaSuccess)
        throw std::runtime_error("cholesky: launch");
}
