// Column-wise argmax: value and index are packed into one 64-bit key for atomicMax.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

using key_t64 = unsigned long long;

// order-preserving map of float bits
__host__ __device__ __forceinline__ unsigned flip(unsigned b) { return b & 0x80000000u ? ~b : b | 0x80000000u; }
__host__ __device__ __forceinline__ unsigned unflip(unsigned b) { return b & 0x80000000u ? b & 0x7fffffffu : ~b; }

template <int TX, int TY>
__global__ void __launch_bounds__(TX * TY) argmax_cols(const float *__restrict__ a, int rows, int cols, key_t64 *best)
{
    __shared__ key_t64 s[TX];
    const int c = blockIdx.x * TX + threadIdx.x;
    if (threadIdx.y == 0)
        s[threadIdx.x] = 0;
    __syncthreads();
    if (c < cols) {
        key_t64 k = 0;
        for (int r = blockIdx.y * TY + threadIdx.y; r < rows; r += gridDim.y * TY) {
            const key_t64 n = (key_t64)flip(__float_as_uint(a[(size_t)r * cols + c])) << 32 | (unsigned)~r;
            k = n > k ? n : k;
        }
        atomicMax(&s[threadIdx.x], k);
    }
    __syncthreads();
    if (threadIdx.y == 0 && c < cols && s[threadIdx.x] != 0)
        atomicMax(&best[c], s[threadIdx.x]);
}

__global__ void unpack(const key_t64 *__restrict__ best, int cols, float *val, int *row)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < cols) {
        const key_t64 k = best[c];
        val[c] = __uint_as_float(unflip((unsigned)(k >> 32)));
        row[c] = (int)~(unsigned)k;
    }
}

int main()
{
    const int rows = 3001, cols = 77;
    std::vector<float> h((size_t)rows * cols);
    for (size_t i = 0; i < h.size(); ++i)
        h[i] = (float)((long long)(i * 2654435761ull % 100003) - 50000);
    float *a, *val;
    int *row;
    key_t64 *best;
    cudaMalloc(&a, h.size() * sizeof(float));
    cudaMalloc(&val, cols * sizeof(float));
    cudaMalloc(&row, cols * sizeof(int));
    cudaMalloc(&best, cols * sizeof(key_t64));
    cudaMemcpy(a, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(best, 0, cols * sizeof(key_t64));
    argmax_cols<32, 8><<<dim3((cols + 31) / 32, 16), dim3(32, 8)>>>(a, rows, cols, best);
    unpack<<<1, 128>>>(best, cols, val, row);
    float v;
    cudaMemcpy(&v, val, sizeof(v), cudaMemcpyDeviceToHost);
    printf("%f %s\n", v, cudaGetErrorString(cudaGetLastError()));
    return 0;
}
