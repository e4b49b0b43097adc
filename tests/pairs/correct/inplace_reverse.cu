// In-place reversal, rotation and square transpose: each thread owns a pair of elements.
#include <cuda_runtime.h>

template <typename T>
__device__ __forceinline__ void swap_elems(T* a, T* b)
{
    const T t = *a;
    *a = *b;
    *b = t;
}

template <typename T>
__global__ void reverse_range(T* data, int n)
{
    const int half = n / 2;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < half; i += gridDim.x * blockDim.x)
        swap_elems(&data[i], &data[n - 1 - i]);
}

// Tile pairs (bx, by) and (by, bx) are handled by the block with bx >= by.
template <typename T>
__global__ void transpose_square(T* m, int n)
{
    constexpr int S = 16;
    __shared__ T lo[S][S + 1];
    __shared__ T hi[S][S + 1];
    if (blockIdx.x < blockIdx.y) return;

    const int x = blockIdx.x * S + threadIdx.x, y = blockIdx.y * S + threadIdx.y;
    const int tx = blockIdx.y * S + threadIdx.x, ty = blockIdx.x * S + threadIdx.y;
    const bool diag = blockIdx.x == blockIdx.y;
    if (x < n && y < n) hi[threadIdx.y][threadIdx.x] = m[(size_t)y * n + x];
    if (!diag && tx < n && ty < n) lo[threadIdx.y][threadIdx.x] = m[(size_t)ty * n + tx];
    __syncthreads();
    if (diag) {
        if (x < n && y < n) m[(size_t)y * n + x] = hi[threadIdx.x][threadIdx.y];
    } else {
        if (x < n && y < n) m[(size_t)y * n + x] = lo[threadIdx.x][threadIdx.y];
        if (tx < n && ty < n) m[(size_t)ty * n + tx] = hi[threadIdx.x][threadIdx.y];
    }
}

static int grid_for(int work)
{
    const int g = (work + 255) / 256;
    return g < 1 ? 1 : (g > 1024 ? 1024 : g);
}

// Rotation left by k through three reversals.
cudaError_t rotate_left(float* data, int n, int k, cudaStream_t s)
{
    if (n <= 0) return cudaSuccess;
    k %= n;
    if (k < 0) k += n;
    if (k == 0) return cudaSuccess;
    reverse_range<<<grid_for(k / 2), 256, 0, s>>>(data, k);
    reverse_range<<<grid_for((n - k) / 2), 256, 0, s>>>(data + k, n - k);
    reverse_range<<<grid_for(n / 2), 256, 0, s>>>(data, n);
    return cudaGetLastError();
}

cudaError_t transpose_inplace(double* m, int n, cudaStream_t s)
{
    if (n <= 0) return cudaErrorInvalidValue;
    const int t = (n + 15) / 16;
    transpose_square<<<dim3(t, t), dim3(16, 16), 0, s>>>(m, n);
    return cudaGetLastError();
}
