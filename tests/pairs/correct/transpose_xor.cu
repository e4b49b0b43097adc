// In-place transpose of a square matrix: each block swaps a pair of mirrored tiles.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

constexpr int T = 32;
constexpr int ROWS = 8;

__device__ __forceinline__ int sw(int r, int c) { return r * T + (c ^ r); }

__global__ void transpose_inplace(float *a, int n)
{
    __shared__ float up[T * T];
    __shared__ float lo[T * T];
    const int bi = blockIdx.y, bj = blockIdx.x;
    if (bj < bi)
        return; // the mirrored block does the work
    const int c = threadIdx.x;
    float *pu = a + (size_t)bi * T * n + bj * T;
    float *pl = a + (size_t)bj * T * n + bi * T;
    for (int r = threadIdx.y; r < T; r += ROWS)
        up[sw(r, c)] = pu[(size_t)r * n + c];
    if (bi != bj) {
        for (int r = threadIdx.y; r < T; r += ROWS)
            lo[sw(r, c)] = pl[(size_t)r * n + c];
        __syncthreads();
        for (int r = threadIdx.y; r < T; r += ROWS) {
            pl[(size_t)r * n + c] = up[sw(c, r)];
            pu[(size_t)r * n + c] = lo[sw(c, r)];
        }
    } else {
        __syncthreads();
        for (int r = threadIdx.y; r < T; r += ROWS)
            pu[(size_t)r * n + c] = up[sw(c, r)];
    }
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1024;
    if (n <= 0 || n % T) {
        fprintf(stderr, "size must be a multiple of %d\n", T);
        return 1;
    }
    std::vector<float> h((size_t)n * n);
    for (size_t i = 0; i < h.size(); ++i)
        h[i] = (float)(i % 1000);
    float *d;
    if (cudaMalloc(&d, h.size() * sizeof(float)) != cudaSuccess)
        return 1;
    cudaMemcpy(d, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    transpose_inplace<<<dim3(n / T, n / T), dim3(T, ROWS)>>>(d, n);
    cudaMemcpy(h.data(), d, h.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f %s\n", h[1], cudaGetErrorString(cudaGetLastError()));
    cudaFree(d);
    return 0;
}
