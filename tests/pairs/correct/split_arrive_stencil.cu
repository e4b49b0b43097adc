// Split arrive/wait: interior points are computed between arrival and wait.
#include <cstdio>
#include <utility>
#include <cuda/barrier>
#include <cuda_runtime.h>

#pragma nv_diag_suppress static_var_with_dynamic_init

using block_barrier = cuda::barrier<cuda::thread_scope_block>;
constexpr int BLOCK = 256;
constexpr int PER = 4;
constexpr int TILE = BLOCK * PER;

// Each thread owns PER consecutive cells in registers; only its two edge cells go through shared memory.
__global__ void __launch_bounds__(BLOCK) diffuse(float *u, int iters, float k)
{
    __shared__ float left[2][BLOCK + 2];
    __shared__ float right[2][BLOCK + 2];
    __shared__ block_barrier bar;
    const int t = threadIdx.x;
    float *mine = u + (size_t)blockIdx.x * TILE + t * PER;
    float c[PER];
    for (int i = 0; i < PER; ++i)
        c[i] = mine[i];
    if (t == 0) {
        init(&bar, BLOCK);
        for (int b = 0; b < 2; ++b) {
            right[b][0] = 0.0f;        // fixed value left of the tile
            left[b][BLOCK + 1] = 0.0f; // and right of it
        }
    }
    __syncthreads();
    for (int it = 0; it < iters; ++it) {
        const int b = it & 1;
        left[b][t + 1] = c[0];
        right[b][t + 1] = c[PER - 1];
        block_barrier::arrival_token token = bar.arrive();
        float n[PER];
        for (int i = 1; i < PER - 1; ++i)
            n[i] = c[i] + k * (c[i - 1] - 2.0f * c[i] + c[i + 1]);
        bar.wait(std::move(token));
        n[0] = c[0] + k * (right[b][t] - 2.0f * c[0] + c[1]);
        n[PER - 1] = c[PER - 1] + k * (c[PER - 2] - 2.0f * c[PER - 1] + left[b][t + 2]);
        for (int i = 0; i < PER; ++i)
            c[i] = n[i];
    }
    for (int i = 0; i < PER; ++i)
        mine[i] = c[i];
}

int main()
{
    const int tiles = 40;
    float *u;
    cudaMalloc(&u, (size_t)tiles * TILE * sizeof(float));
    cudaMemset(u, 0, (size_t)tiles * TILE * sizeof(float));
    diffuse<<<tiles, BLOCK>>>(u, 100, 0.1f);
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(e));
    cudaFree(u);
    return e != cudaSuccess;
}
