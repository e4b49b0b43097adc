// CSR SpMV, one warp per row.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

template <typename V>
struct Csr {
    int rows;
    const int *ptr;
    const int *col;
    const V *val;
};

template <typename V>
__device__ __forceinline__ V warp_sum(V v)
{
#pragma unroll
    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_xor_sync(0xffffffffu, v, d);
    return v;
}

template <typename V, int WARPS>
__global__ void __launch_bounds__(WARPS * 32)
spmv_vector(Csr<V> m, const V *__restrict__ x, V *__restrict__ y, V alpha, V beta)
{
    const int lane = threadIdx.x & 31;
    const int row = blockIdx.x * WARPS + (threadIdx.x >> 5);
    if (row >= m.rows)
        return;
    const int beg = m.ptr[row];
    const int end = m.ptr[row + 1];
    if (beg == end) {
        if (lane == 0)
            y[row] = beta * y[row];
        return;
    }
    V acc = V(0);
    for (int j = beg + lane; j < end; j += 32)
        acc += m.val[j] * x[m.col[j]];
    acc = warp_sum(acc);
    if (lane == 0)
        y[row] = alpha * acc + beta * y[row];
}

template <typename V>
static void launch(const Csr<V> &m, const V *x, V *y, V alpha, V beta, cudaStream_t s)
{
    constexpr int W = 4;
    if (m.rows == 0)
        return;
    spmv_vector<V, W><<<(m.rows + W - 1) / W, W * 32, 0, s>>>(m, x, y, alpha, beta);
}

int main()
{
    const int n = 1001;
    std::vector<int> ptr(n + 1, 0), col;
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < i % 70; ++k)
            col.push_back((i + k * 13) % n);
        ptr[i + 1] = (int)col.size();
    }
    std::vector<double> val(col.size(), 0.25), x(n, 1.0), y(n, 0.0);
    int *dp, *dc;
    double *dv, *dx, *dy;
    cudaMalloc(&dp, ptr.size() * sizeof(int));
    cudaMalloc(&dc, col.size() * sizeof(int));
    cudaMalloc(&dv, val.size() * sizeof(double));
    cudaMalloc(&dx, n * sizeof(double));
    cudaMalloc(&dy, n * sizeof(double));
    cudaMemcpy(dp, ptr.data(), ptr.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dc, col.data(), col.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dv, val.data(), val.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    launch<double>(Csr<double>{n, dp, dc, dv}, dx, dy, 1.0, 0.5, 0);
    cudaMemcpy(y.data(), dy, n * sizeof(double), cudaMemcpyDeviceToHost);
    printf("%g\n", y[n - 1]);
    return cudaGetLastError() != cudaSuccess;
}
