// Layer norm with a block per row; the block size is chosen from the row width.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

template <int THREADS>
__device__ __forceinline__ void group_sync()
{
    if constexpr (THREADS > 32)
        __syncthreads();
    else
        __syncwarp();
}

template <int THREADS>
__device__ float2 row_reduce(float2 v, float2 *sh)
{
    sh[threadIdx.x] = v;
    group_sync<THREADS>();
#pragma unroll
    for (int d = THREADS / 2; d > 0; d >>= 1) {
        if (threadIdx.x < d) {
            sh[threadIdx.x].x += sh[threadIdx.x + d].x;
            sh[threadIdx.x].y += sh[threadIdx.x + d].y;
        }
        group_sync<THREADS>();
    }
    const float2 r = sh[0];
    group_sync<THREADS>();
    return r;
}

template <int THREADS>
__global__ void __launch_bounds__(THREADS)
layernorm(float *x, const float *__restrict__ gamma, const float *__restrict__ beta, int rows, int width)
{
    __shared__ float2 sh[THREADS];
    for (int row = blockIdx.x; row < rows; row += gridDim.x) {
        float *p = x + (size_t)row * width;
        float2 v = make_float2(0.0f, 0.0f);
        for (int i = threadIdx.x; i < width; i += THREADS) {
            v.x += p[i];
            v.y += p[i] * p[i];
        }
        v = row_reduce<THREADS>(v, sh);
        const float mean = v.x / width;
        const float inv = rsqrtf(v.y / width - mean * mean + 1e-5f);
        for (int i = threadIdx.x; i < width; i += THREADS)
            p[i] = (p[i] - mean) * inv * gamma[i] + beta[i];
    }
}

static void run(float *x, const float *g, const float *b, int rows, int width, cudaStream_t s)
{
    const int grid = rows < 1024 ? rows : 1024;
    if (width <= 128)
        layernorm<32><<<grid, 32, 0, s>>>(x, g, b, rows, width);
    else if (width <= 1024)
        layernorm<128><<<grid, 128, 0, s>>>(x, g, b, rows, width);
    else
        layernorm<512><<<grid, 512, 0, s>>>(x, g, b, rows, width);
}

int main(int argc, char **argv)
{
    const int rows = 3000, width = argc > 1 ? atoi(argv[1]) : 768;
    if (width <= 0 || width > 65536)
        return 1;
    float *x, *g, *b;
    cudaMalloc(&x, (size_t)rows * width * sizeof(float));
    cudaMalloc(&g, width * sizeof(float));
    cudaMalloc(&b, width * sizeof(float));
    cudaMemset(x, 0, (size_t)rows * width * sizeof(float));
    cudaMemset(g, 0, width * sizeof(float));
    cudaMemset(b, 0, width * sizeof(float));
    run(x, g, b, rows, width, 0);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
