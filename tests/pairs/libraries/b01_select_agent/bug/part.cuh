#pragma once
#include <cuda_runtime.h>

namespace dev {

constexpr int WARP = 32;

template <typename T, int BT>
class BlockScan {
    static constexpr int WARPS = BT / WARP;

public:
    struct TempStorage { T warp_sum[WARPS]; };

    __device__ explicit BlockScan(TempStorage& t) : temp_(t), lane_(threadIdx.x % WARP), warp_(threadIdx.x / WARP) {}

    __device__ void ExclusiveSum(T in, T& out, T& total)
    {
        T x = in;
#pragma unroll
        for (int d = 1; d < WARP; d *= 2) {
            T y = __shfl_up_sync(0xffffffffu, x, d);
            if (lane_ >= d) x += y;
        }
        if (lane_ == WARP - 1) temp_.warp_sum[warp_] = x;
        __syncthreads();
        T base = 0;
        total = 0;
#pragma unroll
        for (int w = 0; w < WARPS; ++w) {
            if (w == warp_) base = total;
            total += temp_.warp_sum[w];
        }
        out = base + x - in;
    }

private:
    TempStorage& temp_;
    int lane_, warp_;
};

template <typename T, int BT>
class BlockReduce {
    static constexpr int WARPS = BT / WARP;

public:
    struct TempStorage { T warp_agg[WARPS]; };

    __device__ explicit BlockReduce(TempStorage& t) : temp_(t) {}

    // valid in thread 0
    template <typename Op>
    __device__ T Reduce(T v, Op op)
    {
#pragma unroll
        for (int d = WARP / 2; d > 0; d /= 2) v = op(v, __shfl_xor_sync(0xffffffffu, v, d));
        if (threadIdx.x % WARP == 0) temp_.warp_agg[threadIdx.x / WARP] = v;
        __syncthreads();
        if (threadIdx.x == 0) {
#pragma unroll
            for (int w = 1; w < WARPS; ++w) v = op(v, temp_.warp_agg[w]);
        }
        return v;
    }

private:
    TempStorage& temp_;
};

template <int BT_, int ITEMS_>
struct SelectPolicy {
    static constexpr int BLOCK_THREADS = BT_;
    static constexpr int ITEMS = ITEMS_;
    static constexpr int TILE = BT_ * ITEMS_;
};

struct MaxOp {
    template <typename T> __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};

template <typename Policy, typename KeyT, typename Pred>
struct AgentSelect {
    using ScanT = BlockScan<int, Policy::BLOCK_THREADS>;
    using ReduceT = BlockReduce<KeyT, Policy::BLOCK_THREADS>;

    union TempStorage {
        typename ScanT::TempStorage scan;
        typename ReduceT::TempStorage reduce;
        KeyT exchange[Policy::TILE];
    };

    TempStorage& temp;
    Pred pred;
    const KeyT* in;
    KeyT* out;
    KeyT* tile_max;
    int n;

    template <bool FULL>
    __device__ void Load(KeyT (&k)[Policy::ITEMS], bool (&sel)[Policy::ITEMS], int base)
    {
#pragma unroll
        for (int i = 0; i < Policy::ITEMS; ++i) {
            const int g = base + threadIdx.x * Policy::ITEMS + i;
            const bool ok = FULL || g < n;
            k[i] = ok ? in[g] : KeyT();
            sel[i] = ok && pred(k[i]);
        }
    }

    template <bool FULL>
    __device__ int ConsumeTile(int tile, int out_base)
    {
        KeyT k[Policy::ITEMS];
        bool sel[Policy::ITEMS];
        Load<FULL>(k, sel, tile * Policy::TILE);

        int mine = 0, off, total;
        KeyT best = KeyT();
#pragma unroll
        for (int i = 0; i < Policy::ITEMS; ++i) {
            mine += sel[i];
            if (sel[i]) best = MaxOp()(best, k[i]);
        }
        ScanT(temp.scan).ExclusiveSum(mine, off, total);
        __syncthreads();

#pragma unroll
        for (int i = 0; i < Policy::ITEMS; ++i)
            if (sel[i]) temp.exchange[off++] = k[i];
        __syncthreads();
        for (int i = threadIdx.x; i < total; i += Policy::BLOCK_THREADS)
            out[out_base + i] = temp.exchange[i];

        best = ReduceT(temp.reduce).Reduce(best, MaxOp());
        if (threadIdx.x == 0) tile_max[tile] = best;
        __syncthreads();
        return total;
    }

    // a contiguous range of tiles; the output keeps the gaps between blocks
    __device__ int ConsumeRange(int tile, int tile_end)
    {
        int out_base = tile * Policy::TILE;
        const int first = out_base;
        for (; tile < tile_end; ++tile) {
            out_base += (tile + 1) * Policy::TILE <= n ? ConsumeTile<true>(tile, out_base)
                                                       : ConsumeTile<false>(tile, out_base);
        }
        return out_base - first;
    }
};

}  // namespace dev
