// C = A * B with CSR A and row-major dense B; one warp per row of A, lanes along the columns of B.
#include <cuda_runtime.h>

#define FULL_MASK 0xffffffffu

template <typename T>
struct Csr {
    int rows, cols;
    const int *rowptr;
    const int *colidx;
    const T *val;
};

template <typename T>
struct Dense {
    int rows, cols, ld;
    T *data;
};

template <typename T>
__global__ void spmm_kernel(Csr<T> A, const T *__restrict__ B, int ldb, int ncols, T *C, int ldc, bool accumulate)
{
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    const int lane = threadIdx.x & 31;
    if (warp >= A.rows)
        return;
    const int begin = A.rowptr[warp], end = A.rowptr[warp + 1];
    T *out = C + (size_t)warp * ldc;
    if (!accumulate)
        for (int j = lane; j < ncols; j += 32)
            out[j] = T(0);

    for (int base = begin; base < end; base += 32) {
        const int cnt = min(32, end - base);
        int col = 0;
        T v = T(0);
        if (lane < cnt) {
            col = A.colidx[base + lane];
            v = A.val[base + lane];
        }
        for (int k = 0; k < cnt; ++k) {
            const int c = __shfl_sync(FULL_MASK, col, k);
            const T a = __shfl_sync(FULL_MASK, v, k);
            const T *brow = B + (size_t)c * ldb;
            for (int j = lane; j < ncols; j += 32)
                out[j] += a * brow[j];
        }
    }
}

template <typename T>
__global__ void row_scale(Csr<T> A, T *val_out, const T *__restrict__ d)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= A.rows)
        return;
    for (int p = A.rowptr[r]; p < A.rowptr[r + 1]; ++p)
        val_out[p] = A.val[p] * d[r] * d[A.colidx[p]];
}

template <typename T>
int spmm(const Csr<T> &A, const Dense<T> &B, Dense<T> &C, bool accumulate, cudaStream_t s)
{
    if (A.cols != B.rows || C.rows != A.rows || C.cols != B.cols || C.data == B.data)
        return -1;
    const int threads = 128;
    const int blocks = (A.rows * 32 + threads - 1) / threads;
    spmm_kernel<T><<<blocks, threads, 0, s>>>(A, B.data, B.ld, B.cols, C.data, C.ld, accumulate);
    return cudaGetLastError();
}

template <typename T>
void gcn_normalize(const Csr<T> &A, T *val_out, const T *inv_sqrt_deg, cudaStream_t s)
{
    row_scale<T><<<(A.rows + 127) / 128, 128, 0, s>>>(A, val_out, inv_sqrt_deg);
}

template int spmm<float>(const Csr<float> &, const Dense<float> &, Dense<float> &, bool, cudaStream_t);
template void gcn_normalize<float>(const Csr<float> &, float *, const float *, cudaStream_t);
