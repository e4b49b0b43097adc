// LU with partial pivoting of many small matrices given by pointers; one thread per matrix.
#include <cuda_runtime.h>
#include <cmath>
#include <vector>

#define MAXN 16

template <typename Real>
__device__ int find_pivot(const Real *a, int n, int lda, int k)
{
    int p = k;
    Real best = fabs(a[k * lda + k]);
    for (int i = k + 1; i < n; i++) {
        Real v = fabs(a[k * lda + i]);
        if (v > best) {
            best = v;
            p = i;
        }
    }
    return p;
}

/* array[b] and piv[b*n ..] belong to thread b; the matrices do not overlap */
template <typename Real>
__global__ void getrf_batched(Real *const array[], int n, int lda, int *piv, int *info, int batch)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= batch)
        return;
    Real *a = array[b];
    int *ip = piv + b * n;
    int bad = 0;
    for (int k = 0; k < n; k++) {
        int p = find_pivot(a, n, lda, k);
        ip[k] = p;
        if (a[k * lda + p] == Real(0)) {
            if (!bad) bad = k + 1;
            continue;
        }
        if (p != k)
            for (int j = 0; j < n; j++) {
                Real t = a[j * lda + k];
                a[j * lda + k] = a[j * lda + p];
                a[j * lda + p] = t;
            }
        Real inv = Real(1) / a[k * lda + k];
        for (int i = k + 1; i < n; i++)
            a[k * lda + i] *= inv;
        for (int j = k + 1; j < n; j++) {
            Real f = a[j * lda + k];
            for (int i = k + 1; i < n; i++)
                a[j * lda + i] -= a[k * lda + i] * f;
        }
    }
    info[b] = bad;
}

template <typename Real>
int lu_batch(Real *d_data, int n, int batch, int *d_piv, int *d_info)
{
    if (n > MAXN)
        return -1;
    std::vector<Real *> ptrs(batch);
    for (int b = 0; b < batch; b++)
        ptrs[b] = d_data + (size_t)b * n * n;
    Real **d_ptrs;
    cudaMalloc(&d_ptrs, batch * sizeof(Real *));
    cudaMemcpy(d_ptrs, ptrs.data(), batch * sizeof(Real *), cudaMemcpyHostToDevice);
    getrf_batched<Real><<<(batch + 63) / 64, 64>>>(d_ptrs, n, n, d_piv, d_info, batch);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_ptrs);
    return e == cudaSuccess ? 0 : -2;
}

template int lu_batch<float>(float *, int, int, int *, int *);
template int lu_batch<double>(double *, int, int, int *, int *);
