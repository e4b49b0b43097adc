#include <cuda_runtime.h>
#include <stdio.h>

#define CHECK(call)                                                        \
    do {                                                                   \
        const cudaError_t err = call;                                      \
        if (err != cudaSuccess) {                                          \
            fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__,              \
                    cudaGetErrorString(err));                              \
        }                                                                  \
    } while (0)

typedef double real;

#define BLOCK_SIZE 512

__device__ void warp_reduce(volatile real *s, int t)
{
    s[t] += s[t + 32];
    s[t] += s[t + 16];
    s[t] += s[t + 8];
    s[t] += s[t + 4];
    s[t] += s[t + 2];
    s[t] += s[t + 1];
}

__global__ void gpu_inner_product_1(int n, const real *ar, const real *ai, const real *br,
                                    const real *bi, real *pr, real *pi)
{
    const int tid = threadIdx.x;
    const int i = blockIdx.x * BLOCK_SIZE + tid;
    __shared__ real s_re[BLOCK_SIZE];
    __shared__ real s_im[BLOCK_SIZE];

    s_re[tid] = 0.0;
    s_im[tid] = 0.0;
    if (i < n) {
        s_re[tid] = ar[i] * br[i] + ai[i] * bi[i];
        s_im[tid] = ar[i] * bi[i] - ai[i] * br[i];
    }
    __syncthreads();

#pragma unroll
    for (int offset = BLOCK_SIZE >> 1; offset > 32; offset >>= 1) {
        if (tid < offset) {
            s_re[tid] += s_re[tid + offset];
            s_im[tid] += s_im[tid + offset];
        }
        __syncthreads();
    }
    if (tid < 32) {
        warp_reduce(s_re, tid);
        warp_reduce(s_im, tid);
    }
    if (tid == 0) {
        pr[blockIdx.x] = s_re[0];
        pi[blockIdx.x] = s_im[0];
    }
}

__global__ void gpu_scale(int n, real f, real *x)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= f;
}

void inner_product(int n, const real *ar, const real *ai, const real *br, const real *bi,
                   real *pr, real *pi, real norm)
{
    const int grid = (n - 1) / BLOCK_SIZE + 1;
    gpu_inner_product_1<<<grid, BLOCK_SIZE>>>(n, ar, ai, br, bi, pr, pi);
    CHECK(cudaGetLastError());
    gpu_scale<<<(grid - 1) / 128 + 1, 128>>>(grid, norm, pr);
    gpu_scale<<<(grid - 1) / 128 + 1, 128>>>(grid, norm, pi);
    CHECK(cudaGetLastError());
}
