// y = A x for CSR matrices, a "vector" of 2..32 threads per row
// (after Bell & Garland).
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>

template <typename V> __device__ __forceinline__ V fetch_x(cudaTextureObject_t tex, int i);
template <> __device__ __forceinline__ float fetch_x<float>(cudaTextureObject_t tex, int i)
{
    return tex1Dfetch<float>(tex, i);
}
template <> __device__ __forceinline__ double fetch_x<double>(cudaTextureObject_t tex, int i)
{
    const int2 v = tex1Dfetch<int2>(tex, i);
    return __hiloint2double(v.y, v.x);
}

template <typename I, typename V>
struct csr_view {
    I num_rows;
    const I* Ap;
    const I* Aj;
    const V* Ax;
};

template <unsigned int T>
__device__ __forceinline__ unsigned int vector_mask(unsigned int lane)
{
    return 0xffffffffu;
}

template <unsigned int T, typename V>
__device__ __forceinline__ V vector_sum(V v)
{
    const unsigned int m = vector_mask<T>(threadIdx.x & 31);
#pragma unroll
    for (unsigned int o = T / 2; o > 0; o >>= 1) v += __shfl_down_sync(m, v, o, T);
    return v;
}

template <typename I, typename V, unsigned int VECTORS_PER_BLOCK, unsigned int T>
__launch_bounds__(VECTORS_PER_BLOCK* T, 1) __global__
void spmv_csr_vector_kernel(csr_view<I, V> A, cudaTextureObject_t x, V* __restrict__ y)
{
    const I thread_id = VECTORS_PER_BLOCK * T * blockIdx.x + threadIdx.x;
    const I thread_lane = threadIdx.x & (T - 1);
    const I vector_id = thread_id / T;
    const I num_vectors = VECTORS_PER_BLOCK * gridDim.x;

    for (I row = vector_id; row < A.num_rows; row += num_vectors) {
        const I row_start = A.Ap[row];
        const I row_end = A.Ap[row + 1];
        V sum = V(0);

        if (T == 32 && row_end - row_start > 32) {
            // line up the loads of long rows
            I jj = row_start - (row_start & (T - 1)) + thread_lane;
            if (jj >= row_start && jj < row_end) sum += A.Ax[jj] * fetch_x<V>(x, A.Aj[jj]);
            for (jj += T; jj < row_end; jj += T) sum += A.Ax[jj] * fetch_x<V>(x, A.Aj[jj]);
        } else {
            for (I jj = row_start + thread_lane; jj < row_end; jj += T)
                sum += A.Ax[jj] * fetch_x<V>(x, A.Aj[jj]);
        }

        sum = vector_sum<T>(sum);
        if (thread_lane == 0) y[row] = sum;
    }
}

template <typename I, typename V, unsigned int T>
static void spmv_launch(const csr_view<I, V>& A, cudaTextureObject_t x, V* y, cudaStream_t s)
{
    const unsigned int THREADS_PER_BLOCK = 128;
    const unsigned int VPB = THREADS_PER_BLOCK / T;
    const int wanted = (A.num_rows + VPB - 1) / VPB;
    const int blocks = std::min(wanted, 1024);
    spmv_csr_vector_kernel<I, V, VPB, T><<<blocks, THREADS_PER_BLOCK, 0, s>>>(A, x, y);
}

template <typename I, typename V>
int spmv_csr_vector(I rows, I nnz, const I* Ap, const I* Aj, const V* Ax, cudaTextureObject_t x,
                    V* y, cudaStream_t s)
{
    if (rows == 0) return 0;
    csr_view<I, V> A = {rows, Ap, Aj, Ax};
    const I per_row = nnz / rows;
    if (per_row <= 2)       spmv_launch<I, V, 2>(A, x, y, s);
    else if (per_row <= 4)  spmv_launch<I, V, 4>(A, x, y, s);
    else if (per_row <= 8)  spmv_launch<I, V, 8>(A, x, y, s);
    else if (per_row <= 16) spmv_launch<I, V, 16>(A, x, y, s);
    else                    spmv_launch<I, V, 32>(A, x, y, s);
    return cudaGetLastError() == cudaSuccess ? 0 : 1;
}

template int spmv_csr_vector<int, float>(int, int, const int*, const int*, const float*,
                                         cudaTextureObject_t, float*, cudaStream_t);
template int spmv_csr_vector<int, double>(int, int, const int*, const int*, const double*,
                                          cudaTextureObject_t, double*, cudaStream_t);
