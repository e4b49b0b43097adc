#pragma once
#include <cuda_runtime.h>
#include <cstdint>

namespace gemm {

__device__ __forceinline__ void cp_async16(void* smem, const void* gmem, bool pred)
{
    const uint32_t s = static_cast<uint32_t>(__cvta_generic_to_shared(smem));
    const int bytes = pred ? 16 : 0;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" ::"r"(s), "l"(gmem), "r"(bytes) : "memory");
}
__device__ __forceinline__ void cp_async_commit() { asm volatile("cp.async.commit_group;\n" ::: "memory"); }
template <int N>
__device__ __forceinline__ void cp_async_wait() { asm volatile("cp.async.wait_group %0;\n" ::"n"(N) : "memory"); }

template <int M_, int N_, int K_>
struct Shape { static constexpr int M = M_, N = N_, K = K_; };

template <typename Tile_, int Stages_>
struct MainloopPolicy {
    using Tile = Tile_;
    static constexpr int Stages = Stages_;
    static constexpr int Threads = 256;
    static_assert(Stages >= 3, "use the register-staged mainloop for two stages");
};

// row-major rows x K operand, K contiguous
template <int Rows, int K, int Threads>
struct TileIterator {
    const float* ptr;
    int rows, k_total, ld;
    static constexpr int Vec = 4;
    static constexpr int PerRow = K / Vec;
    static constexpr int Steps = Rows * PerRow / Threads;

    __device__ void load(float (*smem)[K + Vec], int k0) const
    {
#pragma unroll
        for (int s = 0; s < Steps; ++s) {
            const int idx = threadIdx.x + s * Threads;
            const int r = idx / PerRow, c = (idx % PerRow) * Vec;
            const bool p = r < rows && k0 + c < k_total;
            cp_async16(&smem[r][c], p ? ptr + (size_t)r * ld + k0 + c : ptr, p);
        }
    }
};

template <typename Policy>
class Mainloop {
    using Tile = typename Policy::Tile;
    static constexpr int S = Policy::Stages;
    static constexpr int TM = Tile::M / 16, TN = Tile::N / 16;

public:
    struct SharedStorage {
        float a[S][Tile::M][Tile::K + 4];
        float b[S][Tile::N][Tile::K + 4];
    };
    using Accum = float[TM][TN];
    using IterA = TileIterator<Tile::M, Tile::K, Policy::Threads>;
    using IterB = TileIterator<Tile::N, Tile::K, Policy::Threads>;

    __device__ explicit Mainloop(SharedStorage& s) : sm_(s) {}

    __device__ void operator()(const IterA& ia, const IterB& ib, int k_tiles, Accum& acc)
    {
        int fetch = 0;
#pragma unroll
        for (; fetch < S - 1; ++fetch) {
            if (fetch < k_tiles) issue(ia, ib, fetch);
            cp_async_commit();
        }
        for (int k = 0; k < k_tiles; ++k, ++fetch) {
            cp_async_wait<S - 2>();
            __syncthreads();
            if (fetch < k_tiles) {
                issue(ia, ib, fetch);
            }
            cp_async_commit();
            mma(k % S, acc);
        }
        cp_async_wait<0>();
    }

private:
    __device__ void issue(const IterA& ia, const IterB& ib, int t)
    {
        ia.load(sm_.a[t % S], t * Tile::K);
        ib.load(sm_.b[t % S], t * Tile::K);
    }
    __device__ void mma(int s, Accum& acc)
    {
        const int ty = threadIdx.x / 16, tx = threadIdx.x % 16;
#pragma unroll
        for (int k = 0; k < Tile::K; ++k)
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j)
                    acc[i][j] += sm_.a[s][ty + 16 * i][k] * sm_.b[s][tx + 16 * j][k];
    }
    SharedStorage& sm_;
};

}  // namespace gemm
