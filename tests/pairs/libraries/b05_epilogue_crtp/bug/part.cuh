#pragma once
#include <cuda_fp16.h>
#include <cuda_runtime.h>

namespace epi {

template <int M_, int N_, int WarpsM_, int WarpsN_>
struct OutputTile {
    static constexpr int M = M_, N = N_, WarpsM = WarpsM_, WarpsN = WarpsN_;
    static constexpr int Threads = 32 * WarpsM * WarpsN;
    static constexpr int RowsPerStep = 8 * WarpsM;        // 8 rows of each warp
    static constexpr int Steps = M / RowsPerStep;
    static constexpr int ColsPerLane = N / WarpsN / 4;    // 8 x 4 lanes per fragment
};

template <typename Tile>
using Fragment = float[Tile::Steps][Tile::ColsPerLane];

template <typename Tile>
struct EpilogueStorage {
    static constexpr int Pitch = Tile::N + 4;
    float tile[Tile::RowsPerStep][Pitch];
};

struct OutputView {
    int rows, cols, ld;
};

// Derived provides: Element, __device__ Element apply(float acc, int row, int col)
template <typename Derived, typename Tile>
class EpilogueBase {
public:
    using Storage = EpilogueStorage<Tile>;

    __device__ explicit EpilogueBase(Storage& s) : s_(s) {}

    template <typename Element>
    __device__ void run(const Fragment<Tile>& acc, Element* out, OutputView v, int m0, int n0)
    {
        Derived& self = static_cast<Derived&>(*this);
#pragma unroll
        for (int step = 0; step < Tile::Steps; ++step) {
            stage_fragment(acc[step]);
            __syncthreads();
            store_tile(self, out, v, m0, n0, step);
        }
    }

private:
    __device__ void stage_fragment(const float (&frag)[Tile::ColsPerLane])
    {
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        const int wm = warp / Tile::WarpsN, wn = warp % Tile::WarpsN;
        const int r = wm * 8 + lane / 4;
        const int c = wn * (Tile::N / Tile::WarpsN) + (lane % 4) * Tile::ColsPerLane;
#pragma unroll
        for (int j = 0; j < Tile::ColsPerLane; ++j) s_.tile[r][c + j] = frag[j];
    }

    template <typename Element>
    __device__ void store_tile(Derived& self, Element* out, OutputView v, int m0, int n0, int step)
    {
        for (int i = threadIdx.x; i < Tile::RowsPerStep * Tile::N; i += Tile::Threads) {
            const int r = i / Tile::N, c = i % Tile::N;
            const int row = m0 + (r / 8) * (8 * Tile::Steps) + step * 8 + r % 8;
            const int col = n0 + c;
            if (row < v.rows && col < v.cols)
                out[(size_t)row * v.ld + col] = self.apply(s_.tile[r][c], row, col);
        }
    }

    Storage& s_;
};

template <typename Tile>
struct BiasRelu : EpilogueBase<BiasRelu<Tile>, Tile> {
    using Base = EpilogueBase<BiasRelu<Tile>, Tile>;
    struct Arguments { const float* bias; };
    Arguments args;
    __device__ BiasRelu(typename Base::Storage& s, Arguments a) : Base(s), args(a) {}
    __device__ __half apply(float acc, int, int col) const { return __float2half(fmaxf(acc + args.bias[col], 0.f)); }
};

template <typename Tile>
struct ScaleRow : EpilogueBase<ScaleRow<Tile>, Tile> {
    using Base = EpilogueBase<ScaleRow<Tile>, Tile>;
    struct Arguments { const float* scale; float alpha; };
    Arguments args;
    __device__ ScaleRow(typename Base::Storage& s, Arguments a) : Base(s), args(a) {}
    __device__ float apply(float acc, int row, int) const { return args.alpha * args.scale[row] * acc; }
};

}  // namespace epi
