// In-place transpose of a square matrix: block pairs (i, j) and (j, i) are handled by
// one thread block; blocks above the diagonal leave at once.
#include <cuda_runtime.h>
#include <cstdio>

constexpr int T = 32, ROWS = 8;

template <typename V>
__global__ void __launch_bounds__(T * ROWS) transposeInPlace(V* m, int n)
{
    if (blockIdx.x > blockIdx.y) return;
    __shared__ V lower[T][T + 1];
    __shared__ V upper[T][T + 1];
    const int bx = blockIdx.x * T, by = blockIdx.y * T;
    const bool diagonal = blockIdx.x == blockIdx.y;

    for (int r = threadIdx.y; r < T; r += ROWS) {
        if (by + r < n && bx + threadIdx.x < n) lower[r][threadIdx.x] = m[(size_t)(by + r) * n + bx + threadIdx.x];
        if (!diagonal && bx + r < n && by + threadIdx.x < n)
            upper[r][threadIdx.x] = m[(size_t)(bx + r) * n + by + threadIdx.x];
    }
    __syncthreads();
    for (int r = threadIdx.y; r < T; r += ROWS) {
        if (bx + r < n && by + threadIdx.x < n) m[(size_t)(bx + r) * n + by + threadIdx.x] = lower[threadIdx.x][r];
        if (!diagonal && by + r < n && bx + threadIdx.x < n)
            m[(size_t)(by + r) * n + bx + threadIdx.x] = upper[threadIdx.x][r];
    }
}

// Swaps element i with element n-1-i of every row.
__global__ void mirrorRows(float* m, int n)
{
    float* row = m + (size_t)blockIdx.x * n;
    for (int i = threadIdx.x; i < n / 2; i += blockDim.x) {
        const float a = row[i], b = row[n - 1 - i];
        row[i] = b;
        row[n - 1 - i] = a;
    }
}

bool rotate90(float* m, int n, cudaStream_t s)
{
    if (n <= 0 || n > 65535) return false;
    const int g = (n + T - 1) / T;
    transposeInPlace<float><<<dim3(g, g), dim3(T, ROWS), 0, s>>>(m, n);
    mirrorRows<<<n, 128, 0, s>>>(m, n);
    return cudaGetLastError() == cudaSuccess;
}

int main()
{
    float* m;
    cudaMalloc(&m, 1001 * 1001 * sizeof(float));
    cudaMemset(m, 0, 1001 * 1001 * sizeof(float));
    printf("%d\n", rotate90(m, 1001, 0));
    cudaDeviceSynchronize();
    cudaFree(m);
    return 0;
}
