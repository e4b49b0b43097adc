// int8 x int8 -> int32 GEMM with per-row / per-column scales. Register prefetch, two smem buffers.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))

constexpr int BM = 64;
constexpr int BN = 64;
constexpr int BK = 32;       // bytes along k
constexpr int KW = BK / 4;   // packed words along k
constexpr int NT = 256;      // 16 x 16 threads, 4 x 4 outputs each

// A: [M, K] row major, B: [N, K] row major (weights)
struct TileLoader {
    const int8_t* ptr;
    int rows, K, row0;

    // two 32-bit words for each thread
    __device__ void fetch(int k0, int (&r)[2]) const {
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            const int idx = threadIdx.x + i * NT;
            const int row = row0 + idx / KW;
            const int k = k0 + (idx % KW) * 4;
            r[i] = (row < rows && k < K) ? *reinterpret_cast<const int*>(ptr + (size_t)row * K + k) : 0;
        }
    }

    static __device__ void store(int (*dst)[BM + 1], const int (&r)[2]) {
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            const int idx = threadIdx.x + i * NT;
            dst[idx % KW][idx / KW] = r[i];
        }
    }
};

__device__ __forceinline__ void mma_tile(const int (*a)[BM + 1], const int (*b)[BN + 1], int tx, int ty,
                                         int (&acc)[4][4]) {
#pragma unroll
    for (int k = 0; k < KW; ++k) {
        int ra[4], rb[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            ra[i] = a[k][ty + 16 * i];
            rb[i] = b[k][tx + 16 * i];
        }
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
            for (int j = 0; j < 4; ++j) acc[i][j] = __dp4a(ra[i], rb[j], acc[i][j]);
    }
}

__global__ void __launch_bounds__(NT)
w8a8_gemm(const int8_t* __restrict__ A, const int8_t* __restrict__ B, const float* __restrict__ sa,
          const float* __restrict__ sb, __half* __restrict__ C, int M, int N, int K) {
    __shared__ int As[2][KW][BM + 1];
    __shared__ int Bs[2][KW][BN + 1];

    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    const TileLoader la{A, M, K, (int)blockIdx.y * BM};
    const TileLoader lb{B, N, K, (int)blockIdx.x * BN};
    int acc[4][4] = {};
    int pa[2], pb[2];

    la.fetch(0, pa);
    lb.fetch(0, pb);
    TileLoader::store(As[0], pa);
    TileLoader::store(Bs[0], pb);
    __syncthreads();

    const int tiles = CEIL_DIV(K, BK);
    int cur = 0;
    for (int t = 0; t < tiles; ++t) {
        const bool more = t + 1 < tiles;
        if (more) {
            la.fetch((t + 1) * BK, pa);
            lb.fetch((t + 1) * BK, pb);
        }
        mma_tile(As[cur], Bs[cur], tx, ty, acc);
        if (more) {
            TileLoader::store(As[cur ^ 1], pa);
            TileLoader::store(Bs[cur ^ 1], pb);
        }
        __syncthreads();
        cur ^= 1;
    }

    for (int i = 0; i < 4; ++i) {
        const int m = blockIdx.y * BM + ty + 16 * i;
        if (m >= M) continue;
        for (int j = 0; j < 4; ++j) {
            const int n = blockIdx.x * BN + tx + 16 * j;
            if (n < N) C[(size_t)m * N + n] = __float2half(acc[i][j] * sa[m] * sb[n]);
        }
    }
}

// K has to be a multiple of 4 (packed loads).
extern "C" int w8a8_gemm_launch(const int8_t* A, const int8_t* B, const float* sa, const float* sb, void* C,
                                int M, int N, int K, cudaStream_t stream) {
    if (M <= 0 || N <= 0 || K <= 0 || K % 4 != 0) return -1;
    dim3 grid(CEIL_DIV(N, BN), CEIL_DIV(M, BM));
    w8a8_gemm<<<grid, NT, 0, stream>>>(A, B, sa, sb, static_cast<__half*>(C), M, N, K);
    return cudaGetLastError() == cudaSuccess ? 0 : -2;
}
