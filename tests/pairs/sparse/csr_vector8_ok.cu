/* CSR-vector SpMV with VW lanes per row, and a Jacobi smoother on top of it */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

enum { VW = 8, BLOCK = 128 };

struct csr_dev {
    int rows;
    int *ptr, *col;
    double *val;
};

__device__ double group_sum(double v, unsigned mask)
{
    for (int o = VW / 2; o > 0; o >>= 1)
        v += __shfl_down_sync(mask, v, o, VW);
    return v;
}

__global__ void jacobi_sweep(csr_dev A, const double *__restrict__ diag, const double *__restrict__ b,
                             const double *__restrict__ x, double *__restrict__ xn, double omega)
{
    const int lane = threadIdx.x & (VW - 1);
    const int groups = gridDim.x * (BLOCK / VW);
    const unsigned mask = 0xffu << (threadIdx.x & 31 & ~(VW - 1));

    for (int r = (blockIdx.x * BLOCK + threadIdx.x) / VW; r < A.rows; r += groups) {
        double s = 0;
        const int end = A.ptr[r + 1];
        for (int k = A.ptr[r] + lane; k < end; k += VW)
            s += A.val[k] * x[A.col[k]];
        s = group_sum(s, mask);
        if (lane == 0)
            xn[r] = x[r] + omega * (b[r] - s) / diag[r];
    }
}

__global__ void extract_diag(csr_dev A, double *diag)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= A.rows)
        return;
    double d = 1;
    for (int k = A.ptr[r]; k < A.ptr[r + 1]; ++k)
        if (A.col[k] == r)
            d = A.val[k];
    diag[r] = d;
}

static void *dev_copy(const void *h, size_t bytes)
{
    void *d;
    if (cudaMalloc(&d, bytes) != cudaSuccess) {
        fprintf(stderr, "cudaMalloc of %zu bytes failed\n", bytes);
        exit(1);
    }
    if (h)
        cudaMemcpy(d, h, bytes, cudaMemcpyHostToDevice);
    return d;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 70001;
    if (n < 3 || n > 50000000)
        return 1;
    int *ptr = (int *)malloc((n + 1) * sizeof(int));
    int *col = (int *)malloc(3 * (size_t)n * sizeof(int));
    double *val = (double *)malloc(3 * (size_t)n * sizeof(double));
    int nnz = 0;
    ptr[0] = 0;
    for (int r = 0; r < n; ++r) {
        for (int c = r - 1; c <= r + 1; ++c)
            if (c >= 0 && c < n) {
                col[nnz] = c;
                val[nnz++] = c == r ? 2.1 : -1.0;
            }
        ptr[r + 1] = nnz;
    }
    csr_dev A;
    A.rows = n;
    A.ptr = (int *)dev_copy(ptr, (n + 1) * sizeof(int));
    A.col = (int *)dev_copy(col, nnz * sizeof(int));
    A.val = (double *)dev_copy(val, nnz * sizeof(double));
    double *b = (double *)dev_copy(NULL, n * sizeof(double)), *diag = (double *)dev_copy(NULL, n * sizeof(double));
    double *x = (double *)dev_copy(NULL, n * sizeof(double)), *xn = (double *)dev_copy(NULL, n * sizeof(double));
    cudaMemset(x, 0, n * sizeof(double));
    for (int i = 0; i < n; ++i)
        val[i] = 1.0;
    cudaMemcpy(b, val, n * sizeof(double), cudaMemcpyHostToDevice);
    extract_diag<<<(n + 255) / 256, 256>>>(A, diag);
    const int need = (n + BLOCK / VW - 1) / (BLOCK / VW);
    const int grid = need < 1024 ? need : 1024;
    for (int it = 0; it < 100; ++it) {
        jacobi_sweep<<<grid, BLOCK>>>(A, diag, b, x, xn, 0.8);
        double *t = x; x = xn; xn = t;
    }
    double x0;
    cudaMemcpy(&x0, x, sizeof(x0), cudaMemcpyDeviceToHost);
    printf("x0 = %g\n", x0);
    return 0;
}
