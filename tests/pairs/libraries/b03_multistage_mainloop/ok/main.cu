#include "part.cuh"

#include <cstdio>

namespace gemm {

struct Params {
    const float* A;  // M x K
    const float* B;  // N x K
    float* C;        // M x N
    int M, N, K;
    float alpha, beta;
};

template <typename Policy>
__global__ void __launch_bounds__(Policy::Threads) gemm_tn(Params p)
{
    using Tile = typename Policy::Tile;
    using Loop = Mainloop<Policy>;
    extern __shared__ __align__(16) unsigned char raw[];
    auto& storage = *reinterpret_cast<typename Loop::SharedStorage*>(raw);

    const int m0 = blockIdx.y * Tile::M, n0 = blockIdx.x * Tile::N;
    typename Loop::IterA ia{p.A + (size_t)m0 * p.K, p.M - m0, p.K, p.K};
    typename Loop::IterB ib{p.B + (size_t)n0 * p.K, p.N - n0, p.K, p.K};
    typename Loop::Accum acc = {};
    Loop loop(storage);
    loop(ia, ib, (p.K + Tile::K - 1) / Tile::K, acc);

    const int ty = threadIdx.x / 16, tx = threadIdx.x % 16;
    for (int i = 0; i < Tile::M / 16; ++i)
        for (int j = 0; j < Tile::N / 16; ++j) {
            const int m = m0 + ty + 16 * i, n = n0 + tx + 16 * j;
            if (m < p.M && n < p.N) {
                float* c = p.C + (size_t)m * p.N + n;
                *c = p.alpha * acc[i][j] + (p.beta != 0.f ? p.beta * *c : 0.f);
            }
        }
}

template <typename Policy>
int launch(const Params& p, cudaStream_t s)
{
    using Tile = typename Policy::Tile;
    constexpr int smem = sizeof(typename Mainloop<Policy>::SharedStorage);
    auto kernel = gemm_tn<Policy>;
    if (smem > 48 * 1024 &&
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, smem) != cudaSuccess)
        return -2;
    const dim3 grid((p.N + Tile::N - 1) / Tile::N, (p.M + Tile::M - 1) / Tile::M);
    kernel<<<grid, Policy::Threads, smem, s>>>(p);
    return cudaGetLastError() == cudaSuccess ? 0 : -1;
}

int sgemm_tn(const Params& p, cudaStream_t s)
{
    if (p.K % 4 != 0) {
        fprintf(stderr, "K must be a multiple of 4\n");
        return -3;
    }
    if (p.M >= 1024 && p.N >= 1024) return launch<MainloopPolicy<Shape<128, 128, 16>, 4>>(p, s);
    return launch<MainloopPolicy<Shape<64, 64, 16>, 3>>(p, s);
}

}  // namespace gemm
