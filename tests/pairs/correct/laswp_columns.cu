// Applies LAPACK pivots to right hand sides and solves with the packed LU factors; a thread per column.
#include <cuda_runtime.h>
#include <cstdio>

enum class Order { Forward, Backward };

template <typename T>
struct MatrixView {
    T *a;
    int rows, cols, ld;     // column major
    __device__ T *column(int j) const { return a + (size_t)j * ld; }
};

// ipiv is zero based; several entries may name the same row, the swaps are done one after another
template <typename T>
__global__ void laswp(MatrixView<T> B, const int *__restrict__ ipiv, int k1, int k2, Order order)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= B.cols)
        return;
    T *c = B.column(j);
    const int n = k2 - k1;
    for (int s = 0; s < n; ++s) {
        const int k = order == Order::Forward ? k1 + s : k2 - 1 - s;
        const int p = ipiv[k];
        if (p != k) {
            const T t = c[k];
            c[k] = c[p];
            c[p] = t;
        }
    }
}

// one block per column, the column is in shared memory
template <typename T>
__global__ void trsv_columns(const T *__restrict__ lu, int n, int ld, MatrixView<T> B)
{
    extern __shared__ unsigned char raw[];
    T *x = reinterpret_cast<T *>(raw);
    T *c = B.column(blockIdx.x);
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        x[i] = c[i];
    __syncthreads();
    for (int k = 0; k < n; ++k) {
        const T xk = x[k];
        for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x)
            x[i] -= lu[(size_t)k * ld + i] * xk;
        __syncthreads();
    }
    for (int k = n - 1; k >= 0; --k) {
        if (threadIdx.x == 0)
            x[k] /= lu[(size_t)k * ld + k];
        __syncthreads();
        const T xk = x[k];
        for (int i = threadIdx.x; i < k; i += blockDim.x)
            x[i] -= lu[(size_t)k * ld + i] * xk;
        __syncthreads();
    }
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        c[i] = x[i];
}

template <typename T>
int getrs(const T *d_lu, const int *d_ipiv, int n, int ld, T *d_b, int nrhs, int ldb, cudaStream_t s)
{
    if (n <= 0 || nrhs <= 0)
        return 0;
    if (n * sizeof(T) > 48 * 1024) {
        std::fprintf(stderr, "getrs: n = %d too large\n", n);
        return -1;
    }
    MatrixView<T> B = { d_b, n, nrhs, ldb };
    laswp<T><<<(nrhs + 63) / 64, 64, 0, s>>>(B, d_ipiv, 0, n, Order::Forward);
    trsv_columns<T><<<nrhs, 128, n * sizeof(T), s>>>(d_lu, n, ld, B);
    return cudaGetLastError() == cudaSuccess ? 0 : -2;
}

template int getrs<float>(const float *, const int *, int, int, float *, int, int, cudaStream_t);
template int getrs<double>(const double *, const int *, int, int, double *, int, int, cudaStream_t);
