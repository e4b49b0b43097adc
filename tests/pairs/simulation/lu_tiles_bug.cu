// Batched LU without pivoting of small dense tiles. Build: nvcc -arch=sm_80
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

#define CK(x)                                                                   \
    do {                                                                        \
        if ((x) != cudaSuccess) {                                               \
            std::fprintf(stderr, "error at %s:%d\n", __FILE__, __LINE__);       \
            std::exit(EXIT_FAILURE);                                            \
        }                                                                       \
    } while (0)

template <typename T, int N>
struct Tile {
    T a[N][N + 1];

    __device__ void load(const T* g, int ld)
    {
        for (int r = threadIdx.y; r < N; r += blockDim.y)
            for (int c = threadIdx.x; c < N; c += blockDim.x)
                a[r][c] = g[size_t(r) * ld + c];
    }
    __device__ void store(T* g, int ld) const
    {
        for (int r = threadIdx.y; r < N; r += blockDim.y)
            for (int c = threadIdx.x; c < N; c += blockDim.x)
                g[size_t(r) * ld + c] = a[r][c];
    }
    __device__ void scaleColumn(int k, int tid, int nthreads)
    {
        const T inv = T(1) / a[k][k];
        for (int r = k + 1 + tid; r < N; r += nthreads)
            a[r][k] *= inv;
    }
    __device__ void update(int k)
    {
        for (int r = k + 1 + threadIdx.y; r < N; r += blockDim.y)
            for (int c = k + 1 + threadIdx.x; c < N; c += blockDim.x)
                a[r][c] -= a[r][k] * a[k][c];
    }
};

template <typename T, int N>
__global__ void luBatched(T* __restrict__ mats, int ld, size_t strideA)
{
    __shared__ Tile<T, N> tile;
    T* A = mats + blockIdx.x * strideA;
    const int tid = threadIdx.y * blockDim.x + threadIdx.x;
    const int nthreads = blockDim.x * blockDim.y;

    tile.load(A, ld);
    __syncthreads();
    for (int k = 0; k < N - 1; ++k) {
        tile.scaleColumn(k, tid, nthreads);
        tile.update(k);
        __syncthreads();
    }
    tile.store(A, ld);
}

template <typename T>
void luFactor(T* mats, int n, int batch, cudaStream_t s)
{
    if (batch <= 0)
        return;
    const dim3 block(16, 8);
    const size_t stride = size_t(n) * n;
    switch (n) {
    case 16: luBatched<T, 16><<<batch, block, 0, s>>>(mats, n, stride); break;
    case 32: luBatched<T, 32><<<batch, block, 0, s>>>(mats, n, stride); break;
    case 48: luBatched<T, 48><<<batch, block, 0, s>>>(mats, n, stride); break;
    default: std::fprintf(stderr, "unsupported n=%d\n", n); std::abort();
    }
    CK(cudaGetLastError());
}

int main()
{
    const int n = 32, batch = 100;
    double* d;
    CK(cudaMalloc(&d, sizeof(double) * n * n * batch));
    double* h = (double*)std::malloc(sizeof(double) * n * n * batch);
    for (int b = 0; b < batch; ++b)
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                h[(size_t(b) * n + i) * n + j] = i == j ? 2.0 * n : 1.0 / (1 + i + j);
    CK(cudaMemcpy(d, h, sizeof(double) * n * n * batch, cudaMemcpyHostToDevice));
    luFactor(d, n, batch, 0);
    CK(cudaMemcpy(h, d, sizeof(double) * n * n * batch, cudaMemcpyDeviceToHost));
    std::printf("u00 %f\n", h[0]);
    std::free(h);
    CK(cudaFree(d));
    return 0;
}
