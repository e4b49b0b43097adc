#pragma once
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_scan.cuh>

namespace rle {

template <int THREADS, int ITEMS, cub::BlockLoadAlgorithm LOAD>
struct AgentPolicy {
    static constexpr int kThreads = THREADS;
    static constexpr int kItems = ITEMS;
    static constexpr cub::BlockLoadAlgorithm kLoad = LOAD;
};

struct NotEqual {
    template <typename T> __device__ bool operator()(const T& a, const T& b) const { return !(a == b); }
};

template <typename Policy, typename T>
struct AgentHeads {
    static constexpr int kTile = Policy::kThreads * Policy::kItems;
    using Load = cub::BlockLoad<T, Policy::kThreads, Policy::kItems, Policy::kLoad>;
    using Disc = cub::BlockDiscontinuity<T, Policy::kThreads>;
    using Scan = cub::BlockScan<int, Policy::kThreads>;

    union Storage {
        typename Load::TempStorage load;
        typename Disc::TempStorage disc;
        typename Scan::TempStorage scan;
    };

    Storage& st;
    const T* in;
    T* out;
    int* out_pos;
    int n;

    template <bool LAST>
    __device__ __forceinline__ void load(T (&x)[Policy::kItems], int base)
    {
        if constexpr (LAST) {
            // pad with the final value so that no head appears beyond the end
            Load(st.load).Load(in + base, x, n - base, in[n - 1]);
        } else {
            Load(st.load).Load(in + base, x);
            __syncthreads();
        }
    }

    template <bool LAST>
    __device__ int tile(int base, int emitted)
    {
        T x[Policy::kItems];
        int head[Policy::kItems], rank[Policy::kItems], total;
        load<LAST>(x, base);
        if (base == 0) {
            Disc(st.disc).FlagHeads(head, x, NotEqual());
        } else {
            Disc(st.disc).FlagHeads(head, x, NotEqual(), in[base - 1]);
        }
        __syncthreads();
        Scan(st.scan).ExclusiveSum(head, rank, total);
#pragma unroll
        for (int i = 0; i < Policy::kItems; ++i) {
            const int g = base + threadIdx.x * Policy::kItems + i;
            if (head[i] && g < n) {
                out[emitted + rank[i]] = x[i];
                out_pos[emitted + rank[i]] = g;
            }
        }
        __syncthreads();
        return total;
    }

    __device__ int run()
    {
        int emitted = 0, base = 0;
        for (; base + kTile <= n; base += kTile) emitted += tile<false>(base, emitted);
        if (base < n) emitted += tile<true>(base, emitted);
        return emitted;
    }
};

}  // namespace rle
