// Conflict-free transpose of 64x64 half tiles held in an unpadded buffer.
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cstdint>
#include <cstdlib>
#include <cstdio>

#define REQUIRE(c) do { if (!(c)) { fprintf(stderr, "requirement failed: %s\n", #c); abort(); } } while (0)

constexpr int T = 64;
constexpr int VEC = 8;                 // halves in 16 bytes
constexpr int CHUNKS = T / VEC;        // 8 chunks a row
constexpr int THREADS = 256;

__device__ __forceinline__ int swz(int row, int chunk) { return row * T + ((chunk ^ (row & (CHUNKS - 1))) * VEC); }

__global__ void __launch_bounds__(THREADS)
transposeHalf(const __half* __restrict__ src, __half* __restrict__ dst, int rows, int cols)
{
    __shared__ __align__(16) __half tile[T * T];
    const int r0 = blockIdx.y * T;
    const int c0 = blockIdx.x * T;

    #pragma unroll
    for (int i = threadIdx.x; i < T * CHUNKS; i += THREADS) {
        const int r = i / CHUNKS, c = i % CHUNKS;
        const uint4 v = *reinterpret_cast<const uint4*>(src + (size_t)(r0 + r) * cols + c0 + c * VEC);
        *reinterpret_cast<uint4*>(&tile[swz(r, c)]) = v;
    }
    __syncthreads();

    #pragma unroll
    for (int i = threadIdx.x; i < T * CHUNKS; i += THREADS) {
        const int oc = i % CHUNKS;      // chunk of the output row
        const int orow = i / CHUNKS;    // output row == input column
        __align__(16) __half pack[VEC];
        #pragma unroll
        for (int j = 0; j < VEC; ++j)
            pack[j] = tile[swz(oc * VEC + j, orow / VEC) + orow % VEC];
        *reinterpret_cast<uint4*>(dst + (size_t)(c0 + orow) * rows + r0 + oc * VEC) = *reinterpret_cast<const uint4*>(pack);
    }
}

void transpose(const __half* src, __half* dst, int rows, int cols, cudaStream_t s)
{
    REQUIRE(rows > 0 && cols > 0);
    REQUIRE(rows % T == 0 && cols % T == 0);
    REQUIRE(rows / T <= 65535);
    REQUIRE(reinterpret_cast<uintptr_t>(src) % 16 == 0 && reinterpret_cast<uintptr_t>(dst) % 16 == 0);
    REQUIRE(src != dst);
    transposeHalf<<<dim3(cols / T, rows / T), THREADS, 0, s>>>(src, dst, rows, cols);
}

int main()
{
    __half *a, *b;
    const size_t bytes = (size_t)1024 * 512 * sizeof(__half);
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMemset(a, 0, bytes);
    transpose(a, b, 1024, 512, 0);
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(b);
    return 0;
}
