// Generic tile driver: the callable may contain barriers, so it is invoked by all threads of the block.
#include <cstdio>
#include <cuda_runtime.h>

constexpr int BLOCK = 128;

template <typename F>
__global__ void __launch_bounds__(BLOCK) foreach_tile(int n, F f)
{
    __shared__ float scratch[BLOCK];
    const int tiles = (n + BLOCK - 1) / BLOCK;
    for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
        const int i = t * BLOCK + threadIdx.x;
        f(i, i < n, scratch);
    }
}

// y[i] = median of three within the tile (tile edges repeat)
struct Median3 {
    const float *x;
    float *y;
    __device__ void operator()(int i, bool valid, float *s) const
    {
        const int t = threadIdx.x;
        if (valid)
            s[t] = x[i];
        const int last = __syncthreads_count(valid) - 1;
        if (valid) {
            const float a = s[max(t - 1, 0)], b = s[t], c = s[min(t + 1, last)];
            y[i] = fmaxf(fminf(a, b), fminf(fmaxf(a, b), c));
        }
        __syncthreads();
    }
};

// reverses every tile in place, tails included
struct ReverseTile {
    float *y;
    __device__ void operator()(int i, bool valid, float *s) const
    {
        s[threadIdx.x] = valid ? y[i] : 0.0f;
        const int m = __syncthreads_count(valid);
        if (valid)
            y[i] = s[m - 1 - threadIdx.x];
        __syncthreads();
    }
};

template <typename F>
static void launch(int n, F f)
{
    const int tiles = (n + BLOCK - 1) / BLOCK;
    if (tiles > 0)
        foreach_tile<<<tiles < 256 ? tiles : 256, BLOCK>>>(n, f);
}

int main()
{
    const int n = 100100;
    float *x, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    cudaMemset(x, 0, n * sizeof(float));
    launch(n, Median3{x, y});
    launch(n, ReverseTile{y});
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(x);
    cudaFree(y);
    return 0;
}
