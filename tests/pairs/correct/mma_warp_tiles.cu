// Half-precision tile product with wmma; each warp stages fragments and its epilogue in its own shared slice.
#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

using namespace nvcuda;
constexpr int WARPS = 4;
constexpr int M = 16;

struct alignas(32) Slice {
    half a[M * M];
    half b[M * M];
    float c[M * M];
};

struct Args { const half *a, *b; half *c; const float *bias; int m, n, k; };

__global__ void __launch_bounds__(WARPS * 32) gemm_bias_relu(Args p)
{
    __shared__ Slice slices[WARPS];
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    Slice &s = slices[warp];
    const int tiles_n = p.n / M;
    const int tile = blockIdx.x * WARPS + warp;
    if (tile >= tiles_n * (p.m / M))
        return;
    const int r0 = tile / tiles_n * M, c0 = tile % tiles_n * M;
    wmma::fragment<wmma::matrix_a, M, M, M, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, M, M, M, half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, M, M, M, float> acc;
    wmma::fill_fragment(acc, 0.0f);
    for (int k0 = 0; k0 < p.k; k0 += M) {
        for (int i = lane; i < M * M; i += 32) {
            const int r = i / M, c = i % M;
            s.a[i] = k0 + c < p.k ? p.a[(size_t)(r0 + r) * p.k + k0 + c] : __float2half(0.0f);
            s.b[i] = k0 + r < p.k ? p.b[(size_t)(k0 + r) * p.n + c0 + c] : __float2half(0.0f);
        }
        __syncwarp();
        wmma::load_matrix_sync(fa, s.a, M);
        wmma::load_matrix_sync(fb, s.b, M);
        wmma::mma_sync(acc, fa, fb, acc);
        __syncwarp();
    }
    wmma::store_matrix_sync(s.c, acc, M, wmma::mem_row_major);
    __syncwarp();
    for (int i = lane; i < M * M; i += 32) {
        const float v = s.c[i] + p.bias[c0 + i % M];
        p.c[(size_t)(r0 + i / M) * p.n + c0 + i % M] = __float2half(v > 0.0f ? v : 0.0f);
    }
}

int main()
{
    Args p{nullptr, nullptr, nullptr, nullptr, 208, 336, 100};
    if (p.m % M || p.n % M)
        return 1;
    half *a, *b;
    float *bias;
    cudaMalloc(&a, (size_t)p.m * p.k * sizeof(half));
    cudaMalloc(&b, (size_t)p.k * p.n * sizeof(half));
    cudaMalloc(&p.c, (size_t)p.m * p.n * sizeof(half));
    cudaMalloc(&bias, p.n * sizeof(float));
    cudaMemset(a, 0, (size_t)p.m * p.k * sizeof(half));
    cudaMemset(b, 0, (size_t)p.k * p.n * sizeof(half));
    cudaMemset(bias, 0, p.n * sizeof(float));
    p.a = a;
    p.b = b;
    p.bias = bias;
    const int tiles = p.m / M * (p.n / M);
    gemm_bias_relu<<<(tiles + WARPS - 1) / WARPS, WARPS * 32>>>(p);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
