// Sparse matrix vector product y = alpha*A*x + beta*y with A in coordinate format.
#include <cuda_runtime.h>
#include <algorithm>

template <typename IndexT, typename ValueT>
struct CooView {
    IndexT rows, cols, nnz;
    const IndexT* row_idx;   // any order
    const IndexT* col_idx;
    const ValueT* values;
};

template <typename ValueT>
__global__ void scale_kernel(ValueT* y, int n, ValueT beta)
{
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n)
        y[i] = beta == ValueT(0) ? ValueT(0) : y[i] * beta;
}

template <typename IndexT, typename ValueT>
__global__ void coo_spmv_kernel(CooView<IndexT, ValueT> A, const ValueT* __restrict__ x, ValueT* y,
                                ValueT alpha, IndexT interval)
{
    const IndexT first = (threadIdx.x + blockIdx.x * blockDim.x) * interval;
    const IndexT last = min(first + interval, A.nnz);
    if (first >= A.nnz)
        return;

    IndexT row = A.row_idx[first];
    ValueT sum = 0;
    for (IndexT i = first; i < last; ++i) {
        const IndexT r = A.row_idx[i];
        if (r != row) {
            y[row] += alpha * sum;
            row = r;
            sum = 0;
        }
        sum += A.values[i] * x[A.col_idx[i]];
    }
    y[row] += alpha * sum;
}

template <typename IndexT, typename ValueT>
void coo_spmv(const CooView<IndexT, ValueT>& A, const ValueT* x, ValueT* y, ValueT alpha, ValueT beta,
              cudaStream_t stream = 0)
{
    const int block = 256;
    scale_kernel<ValueT><<<(A.rows + block - 1) / block, block, 0, stream>>>(y, A.rows, beta);
    if (A.nnz == 0)
        return;
    int dev = 0, sms = 0;
    cudaGetDevice(&dev);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
    const IndexT max_threads = sms * 2048;
    const IndexT interval = std::max<IndexT>(1, (A.nnz + max_threads - 1) / max_threads);
    const IndexT threads = (A.nnz + interval - 1) / interval;
    coo_spmv_kernel<IndexT, ValueT><<<(threads + block - 1) / block, block, 0, stream>>>(A, x, y, alpha,
                                                                                       interval);
}

template void coo_spmv<int, float>(const CooView<int, float>&, const float*, float*, float, float,
                                   cudaStream_t);
template void coo_spmv<int, double>(const CooView<int, double>&, const double*, double*, double, double,
                                    cudaStream_t);
