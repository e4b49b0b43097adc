#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define WARP 32

typedef struct {
    int rows, cols;
    long nnz;
    int *rowptr, *colidx;
    double *vals;
} csr_t;

#define CUDA(x)                                                              \
    do {                                                                     \
        cudaError_t _s = (x);                                                \
        if (_s != cudaSuccess) {                                             \
            fprintf(stderr, "%s -> %s\n", #x, cudaGetErrorString(_s));       \
            exit(1);                                                         \
        }                                                                    \
    } while (0)

__device__ double row_dot(const csr_t A, const double *x, int row, int lane) {
    double acc = 0.0;
    for (int j = A.rowptr[row] + lane; j < A.rowptr[row + 1]; j += WARP)
        acc += A.vals[j] * x[A.colidx[j]];
    return acc;
}

__device__ double fold(double v) {
    const unsigned mask = __activemask();
    for (int d = WARP / 2; d; d /= 2)
        v += __shfl_down_sync(mask, v, d);
    return v;
}

/* y = alpha A x + beta y, one warp per row */
__global__ void spmv_csr_vector(csr_t A, double alpha, const double *x, double beta, double *y) {
    const int lane = threadIdx.x % WARP;
    const int nwarps = gridDim.x * (blockDim.x / WARP);
    for (int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP; row < A.rows; row += nwarps) {
        double s = fold(row_dot(A, x, row, lane));
        if (lane == 0) y[row] = alpha * s + beta * y[row];
    }
}

static csr_t make_banded(int n, int half, csr_t *dev) {
    csr_t m;
    m.rows = m.cols = n;
    m.rowptr = (int *)malloc((n + 1) * sizeof(int));
    m.colidx = (int *)malloc((size_t)n * (2 * half + 1) * sizeof(int));
    m.vals = (double *)malloc((size_t)n * (2 * half + 1) * sizeof(double));
    m.nnz = 0;
    for (int i = 0; i < n; ++i) {
        m.rowptr[i] = (int)m.nnz;
        for (int j = i - half; j <= i + half; ++j)
            if (j >= 0 && j < n) {
                m.colidx[m.nnz] = j;
                m.vals[m.nnz++] = i == j ? 2.0 : -0.1;
            }
    }
    m.rowptr[n] = (int)m.nnz;
    *dev = m;
    CUDA(cudaMalloc((void **)&dev->rowptr, (n + 1) * sizeof(int)));
    CUDA(cudaMalloc((void **)&dev->colidx, m.nnz * sizeof(int)));
    CUDA(cudaMalloc((void **)&dev->vals, m.nnz * sizeof(double)));
    CUDA(cudaMemcpy(dev->rowptr, m.rowptr, (n + 1) * sizeof(int), cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(dev->colidx, m.colidx, m.nnz * sizeof(int), cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(dev->vals, m.vals, m.nnz * sizeof(double), cudaMemcpyHostToDevice));
    return m;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 20000;
    int half = argc > 2 ? atoi(argv[2]) : 20;
    csr_t dA, hA = make_banded(n, half, &dA);
    double *hx = (double *)malloc(n * sizeof(double)), *dx, *dy;
    for (int i = 0; i < n; ++i) hx[i] = 1.0;
    CUDA(cudaMalloc((void **)&dx, n * sizeof(double)));
    CUDA(cudaMalloc((void **)&dy, n * sizeof(double)));
    CUDA(cudaMemcpy(dx, hx, n * sizeof(double), cudaMemcpyHostToDevice));
    CUDA(cudaMemset(dy, 0, n * sizeof(double)));
    spmv_csr_vector<<<512, 128>>>(dA, 1.0, dx, 0.0, dy);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(hx, dy, n * sizeof(double), cudaMemcpyDeviceToHost));
    printf("%ld nnz, y[n/2]=%f\n", hA.nnz, hx[n / 2]);
    return 0;
}
