// CSR vector SpMV, T lanes per row, width chosen from the mean row length.
#include <cuda_runtime.h>

template <typename I, typename V>
struct Csr {
    const I* ptr;
    const I* col;
    const V* val;
    I rows;
};

template <int T, typename I, typename V>
__global__ __launch_bounds__(256)
void csr_spmv(Csr<I, V> a, const V* __restrict__ x, V* __restrict__ y, V alpha, V beta)
{
    const I group  = static_cast<I>((blockIdx.x * blockDim.x + threadIdx.x) / T);
    const I groups = static_cast<I>(gridDim.x * blockDim.x / T);
    const int lane = threadIdx.x % T;

    const int wl = threadIdx.x & 31;
    const unsigned mask = (T == 32) ? ~0u : (((1u << (T % 32)) - 1u) << (wl / T * T));

    for (I r = group; r < a.rows; r += groups) {
        const I b = a.ptr[r];
        const I e = a.ptr[r + 1];
        V s = V(0);
        for (I k = b + lane; k < e; k += T) s += a.val[k] * x[a.col[k]];
        for (int d = T / 2; d; d >>= 1) s += __shfl_down_sync(mask, s, d, T);
        if (lane == 0) {
            V out = alpha * s;
            if (beta != V(0)) out += beta * y[r];
            y[r] = out;
        }
    }
}

template <int T>
static void go(const Csr<int, double>& a, const double* x, double* y, double al, double be,
               cudaStream_t s)
{
    const int rows_per_block = 256 / T;
    int grid = (a.rows + rows_per_block - 1) / rows_per_block;
    if (grid > 8192) grid = 8192;
    csr_spmv<T><<<grid, 256, 0, s>>>(a, x, y, al, be);
}

void spmv(const Csr<int, double>& a, long long nnz, const double* x, double* y, double alpha,
          double beta, cudaStream_t s)
{
    if (a.rows <= 0) return;
    const long long mean = nnz / a.rows;
    if (mean <= 4)       go<4>(a, x, y, alpha, beta, s);
    else if (mean <= 8)  go<8>(a, x, y, alpha, beta, s);
    else if (mean <= 16) go<16>(a, x, y, alpha, beta, s);
    else                 go<32>(a, x, y, alpha, beta, s);
}
