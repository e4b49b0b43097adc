// C = A * B with a 3-stage cp.async pipeline. 64x64 tile, 256 threads, 4x4 outputs each.
#include <cuda_runtime.h>
#include <cstdint>
#include <stdexcept>
#include <string>

#define GEMM_CHECK(c, ...) do { if (!(c)) throw std::invalid_argument(std::string("gemm: ") + #c); } while (0)

constexpr int BM = 64, BN = 64, BK = 16, STAGES = 3;

__device__ __forceinline__ void cpAsync16(void* smem, const void* gmem)
{
    const uint32_t a = (uint32_t)__cvta_generic_to_shared(smem);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(a), "l"(gmem) : "memory");
}
__device__ __forceinline__ void cpCommit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N> __device__ __forceinline__ void cpWait() { asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory"); }

__global__ void __launch_bounds__(256)
gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K)
{
    __shared__ __align__(16) float As[STAGES][BM][BK];
    __shared__ __align__(16) float Bs[STAGES][BK][BN];
    const int tid = threadIdx.x;
    const int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN;
    const int ar = tid / 4, ac = (tid % 4) * 4;     // 64 x 16
    const int br = tid / 16, bc = (tid % 16) * 4;   // 16 x 64
    const int tiles = K / BK;

    auto load = [&](int kt) {
        if (kt < tiles) {
            const int st = kt % STAGES;
            cpAsync16(&As[st][ar][ac], A + (size_t)(m0 + ar) * K + kt * BK + ac);
            cpAsync16(&Bs[st][br][bc], B + (size_t)(kt * BK + br) * N + n0 + bc);
        }
        cpCommit();     // possibly empty, keeps the group count in step
    };

    #pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) load(s);

    float acc[4][4] = {};
    const int ty = tid / 16, tx = tid % 16;
    for (int kt = 0; kt < tiles; ++kt) {
        cpWait<STAGES - 2>();
        __syncthreads();
        load(kt + STAGES - 1);      // into the stage consumed in the previous round
        const int st = kt % STAGES;
        #pragma unroll
        for (int k = 0; k < BK; ++k) {
            float a[4];
            #pragma unroll
            for (int i = 0; i < 4; ++i) a[i] = As[st][ty * 4 + i][k];
            const float4 b = *reinterpret_cast<const float4*>(&Bs[st][k][tx * 4]);
            #pragma unroll
            for (int i = 0; i < 4; ++i) {
                acc[i][0] += a[i] * b.x; acc[i][1] += a[i] * b.y;
                acc[i][2] += a[i] * b.z; acc[i][3] += a[i] * b.w;
            }
        }
    }
    cpWait<0>();
    #pragma unroll
    for (int i = 0; i < 4; ++i)
        *reinterpret_cast<float4*>(&C[(size_t)(m0 + ty * 4 + i) * N + n0 + tx * 4]) =
            make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}

void sgemm(const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t s)
{
    GEMM_CHECK(M > 0 && N > 0 && K > 0);
    GEMM_CHECK(M % BM == 0 && N % BN == 0 && K % BK == 0);
    GEMM_CHECK(M / BM <= 65535);
    GEMM_CHECK(((uintptr_t)A | (uintptr_t)B | (uintptr_t)C) % 16 == 0);
    GEMM_CHECK(C != A && C != B);
    gemm<<<dim3(N / BN, M / BM), 256, 0, s>>>(A, B, C, M, N, K);
}
