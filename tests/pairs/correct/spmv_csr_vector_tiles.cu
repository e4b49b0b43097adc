// CSR SpMV with a template-sized group of lanes per row.
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <stdexcept>

namespace cg = cooperative_groups;

template <int LANES, typename T>
__global__ void spmv(int rows, const int* __restrict__ ptr, const int* __restrict__ col, const T* __restrict__ val,
                     const T* __restrict__ x, T* __restrict__ y, T alpha, T beta)
{
    const auto g = cg::tiled_partition<LANES>(cg::this_thread_block());
    const int perBlock = blockDim.x / LANES;
    for (int r = blockIdx.x * perBlock + g.meta_group_rank(); r < rows; r += gridDim.x * perBlock) {
        const int b = ptr[r], e = ptr[r + 1];
        T acc = T(0);
        for (int k = b + (int)g.thread_rank(); k < e; k += LANES) acc += val[k] * x[col[k]];
        if constexpr (LANES > 1) {
            // the groups of one warp may be in different rounds: only the tile takes part
            #pragma unroll
            for (int o = LANES / 2; o > 0; o /= 2) acc += g.shfl_down(acc, o);
        }
        if (g.thread_rank() == 0) y[r] = beta == T(0) ? alpha * acc : alpha * acc + beta * y[r];
    }
}

template <typename T>
void csrmv(int rows, int nnz, const int* ptr, const int* col, const T* val, const T* x, T* y, T alpha, T beta, cudaStream_t s)
{
    if (rows < 0 || nnz < 0 || x == y) throw std::invalid_argument("csrmv");
    if (rows == 0) return;
    const int mean = nnz / rows;
    constexpr int B = 128;
    auto grid = [&](int lanes) { int g = (rows + B / lanes - 1) / (B / lanes); return g < 4096 ? g : 4096; };
    if (mean < 2) spmv<1, T><<<grid(1), B, 0, s>>>(rows, ptr, col, val, x, y, alpha, beta);
    else if (mean < 8) spmv<4, T><<<grid(4), B, 0, s>>>(rows, ptr, col, val, x, y, alpha, beta);
    else if (mean < 24) spmv<16, T><<<grid(16), B, 0, s>>>(rows, ptr, col, val, x, y, alpha, beta);
    else spmv<32, T><<<grid(32), B, 0, s>>>(rows, ptr, col, val, x, y, alpha, beta);
}

template void csrmv<float>(int, int, const int*, const int*, const float*, const float*, float*, float, float, cudaStream_t);
template void csrmv<double>(int, int, const int*, const int*, const double*, const double*, double*, double, double, cudaStream_t);

int main()
{
    const int rows = 3;
    const int hp[rows + 1] = {0, 2, 2, 5}, hc[5] = {0, 2, 0, 1, 2};
    int *p, *c; float *v, *x, *y;
    cudaMalloc(&p, sizeof hp); cudaMalloc(&c, sizeof hc);
    cudaMalloc(&v, 20); cudaMalloc(&x, 12); cudaMalloc(&y, 12);
    cudaMemcpy(p, hp, sizeof hp, cudaMemcpyHostToDevice);
    cudaMemcpy(c, hc, sizeof hc, cudaMemcpyHostToDevice);
    cudaMemset(v, 0, 20); cudaMemset(x, 0, 12); cudaMemset(y, 0, 12);
    csrmv<float>(rows, 5, p, c, v, x, y, 1.f, 0.f, 0);
    csrmv<float>(rows, 5, p, c, v, x, y, 1.f, 0.5f, 0);
    cudaDeviceSynchronize();
    cudaFree(p); cudaFree(c); cudaFree(v); cudaFree(x); cudaFree(y);
    return 0;
}
