// Builds CSR row pointers from COO row numbers in ascending order, and checks the result.
#include <cuda_runtime.h>
#include <cstdio>
#include <stdexcept>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/sort.h>

template <typename I>
struct CooPattern {
    I rows;
    I nnz;
    I *row;      // device
    I *col;
};

/*
 * row[] is ascending. The thread at the first nonzero of a row writes the pointers of that row and
 * of the empty rows in front of it; the last thread fills the tail.
 */
template <typename I>
__global__ void row_pointers(const I *__restrict__ row, I nnz, I rows, I *ptr)
{
    const I i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nnz)
        return;
    const I r = row[i];
    const I prev = i == 0 ? I(-1) : row[i - 1];
    for (I k = prev + 1; k <= r; ++k)
        ptr[k] = i;
    if (i == nnz - 1)
        for (I k = r + 1; k <= rows; ++k)
            ptr[k] = nnz;
}

template <typename I>
__global__ void longest_row(const I *__restrict__ ptr, I rows, int *max_len, int *empty)
{
    const I r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    const int len = (int)(ptr[r + 1] - ptr[r]);
    if (len == 0)
        atomicAdd(empty, 1);
    else
        atomicMax(max_len, len);
}

template <typename I>
void coo_to_csr(const CooPattern<I> &a, I *d_ptr, int *h_max, int *h_empty)
{
    if (a.nnz == 0) {
        cudaMemset(d_ptr, 0, (a.rows + 1) * sizeof(I));
        *h_max = 0;
        *h_empty = (int)a.rows;
        return;
    }
    if (!thrust::is_sorted(thrust::device, a.row, a.row + a.nnz))
        thrust::stable_sort_by_key(thrust::device, a.row, a.row + a.nnz, a.col);
    const int tb = 256;
    row_pointers<I><<<(unsigned)((a.nnz + tb - 1) / tb), tb>>>(a.row, a.nnz, a.rows, d_ptr);

    int *d_stat, h[2];
    cudaMalloc(&d_stat, 2 * sizeof(int));
    cudaMemset(d_stat, 0, 2 * sizeof(int));
    longest_row<I><<<(unsigned)((a.rows + tb - 1) / tb), tb>>>(d_ptr, a.rows, d_stat, d_stat + 1);
    cudaError_t e = cudaMemcpy(h, d_stat, sizeof(h), cudaMemcpyDeviceToHost);
    cudaFree(d_stat);
    if (e != cudaSuccess)
        throw std::runtime_error(cudaGetErrorString(e));
    *h_max = h[0];
    *h_empty = h[1];
}

template void coo_to_csr<int>(const CooPattern<int> &, int *, int *, int *);
template void coo_to_csr<long long>(const CooPattern<long long> &, long long *, int *, int *);
