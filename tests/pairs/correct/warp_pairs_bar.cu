// Four independent pairs of warps per block; each pair works on its own matrix row with its own barrier.
#include <cstdio>
#include <cuda_runtime.h>

constexpr int PAIRS = 4;
constexpr int PAIR = 64;
constexpr int BLOCK = PAIRS * PAIR;

__device__ __forceinline__ void pair_sync(int pair)
{
    // barrier 0 belongs to __syncthreads
    asm volatile("barrier.sync %0, %1;" ::"r"(pair + 1), "n"(PAIR) : "memory");
}

__global__ void __launch_bounds__(BLOCK) softmax_rows(float *x, const int *__restrict__ width, int pitch, int rows)
{
    __shared__ float red[PAIRS][2][2];
    const int pair = threadIdx.x / PAIR;
    const int t = threadIdx.x % PAIR;
    const int lane = threadIdx.x & 31, w = (threadIdx.x >> 5) & 1;
    for (int row = blockIdx.x * PAIRS + pair; row < rows; row += gridDim.x * PAIRS) {
        float *p = x + (size_t)row * pitch;
        const int n = width[row];
        if (n == 0)
            continue;
        float big = -INFINITY;
        for (int i = t; i < n; i += PAIR)
            big = fmaxf(big, p[i]);
        for (int d = 16; d; d >>= 1)
            big = fmaxf(big, __shfl_xor_sync(0xffffffffu, big, d));
        if (lane == 0)
            red[pair][0][w] = big;
        pair_sync(pair);
        big = fmaxf(red[pair][0][0], red[pair][0][1]);
        float sum = 0.0f;
        for (int i = t; i < n; i += PAIR) {
            p[i] = __expf(p[i] - big);
            sum += p[i];
        }
        for (int d = 16; d; d >>= 1)
            sum += __shfl_xor_sync(0xffffffffu, sum, d);
        if (lane == 0)
            red[pair][1][w] = sum;
        pair_sync(pair);
        sum = red[pair][1][0] + red[pair][1][1];
        for (int i = t; i < n; i += PAIR)
            p[i] /= sum;
    }
}

int main()
{
    const int rows = 1003, pitch = 512;
    float *x;
    int *w;
    cudaMalloc(&x, (size_t)rows * pitch * sizeof(float));
    cudaMalloc(&w, rows * sizeof(int));
    cudaMemset(x, 0, (size_t)rows * pitch * sizeof(float));
    int h[rows];
    for (int i = 0; i < rows; ++i)
        h[i] = (i * 53) % (pitch + 1);
    cudaMemcpy(w, h, sizeof(h), cudaMemcpyHostToDevice);
    softmax_rows<<<64, BLOCK>>>(x, w, pitch, rows);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
