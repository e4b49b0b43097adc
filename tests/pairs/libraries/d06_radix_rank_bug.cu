// Tile-local stable radix ranking with __match_any_sync, one pass of an LSD
// sort over (key, value) pairs within a block.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

namespace rsort {

template <int WARPS_, int ITEMS_, int BITS_>
struct Policy {
    static constexpr int Warps = WARPS_, Items = ITEMS_, Bits = BITS_;
    static constexpr int Threads = 32 * Warps, Bins = 1 << Bits, Tile = Threads * Items;
};

template <class P>
struct Shared {
    int warp_hist[P::Warps][P::Bins];
    int bin_start[P::Bins];
    union {
        uint32_t keys[P::Tile];
        uint32_t vals[P::Tile];
    };
};

template <class P>
__device__ void rank_items(const uint32_t (&key)[P::Items], int (&rank)[P::Items], int shift, Shared<P>& s)
{
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int* hist = s.warp_hist[warp];
    for (int b = lane; b < P::Bins; b += 32) hist[b] = 0;
    __syncwarp();

#pragma unroll
    for (int i = 0; i < P::Items; ++i) {
        const int digit = (key[i] >> shift) & (P::Bins - 1);
        const unsigned peers = __match_any_sync(0xffffffffu, digit);
        const int below = __popc(peers & ((1u << lane) - 1));
        const int count = hist[digit];
        if (below == 0) hist[digit] = count + __popc(peers);
        rank[i] = count + below;
        __syncwarp();
    }
    __syncthreads();

    // per bin: exclusive scan over the warps, then over the bins
    for (int b = threadIdx.x; b < P::Bins; b += P::Threads) {
        int sum = 0;
#pragma unroll
        for (int w = 0; w < P::Warps; ++w) {
            const int c = s.warp_hist[w][b];
            s.warp_hist[w][b] = sum;
            sum += c;
        }
        s.bin_start[b] = sum;
    }
    __syncthreads();
    if (warp == 0) {
        int carry = 0;
        for (int b0 = 0; b0 < P::Bins; b0 += 32) {
            const int c = s.bin_start[b0 + lane];
            int x = c;
            for (int d = 1; d < 32; d <<= 1) {
                const int y = __shfl_up_sync(0xffffffffu, x, d);
                if (lane >= d) x += y;
            }
            s.bin_start[b0 + lane] = carry + x - c;
            carry += __shfl_sync(0xffffffffu, x, 31);
        }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < P::Items; ++i) {
        const int digit = (key[i] >> shift) & (P::Bins - 1);
        rank[i] += s.bin_start[digit] + hist[digit];
    }
}

template <class P>
__device__ void exchange(uint32_t (&x)[P::Items], const int (&rank)[P::Items], uint32_t* buf)
{
    const int base = (threadIdx.x >> 5) * 32 * P::Items + (threadIdx.x & 31);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < P::Items; ++i) buf[rank[i]] = x[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < P::Items; ++i) x[i] = buf[base + 32 * i];
}

template <class P>
__global__ void __launch_bounds__(P::Threads)
sort_tiles(const uint32_t* kin, const uint32_t* vin, uint32_t* kout, uint32_t* vout, int n, int bits)
{
    __shared__ Shared<P> s;
    const int base = blockIdx.x * P::Tile + (threadIdx.x >> 5) * 32 * P::Items + (threadIdx.x & 31);
    uint32_t key[P::Items], val[P::Items];
    int rank[P::Items];
#pragma unroll
    for (int i = 0; i < P::Items; ++i) {
        const int g = base + 32 * i;
        key[i] = g < n ? kin[g] : 0xffffffffu;
        val[i] = g < n ? vin[g] : 0u;
    }
    for (int shift = 0; shift < bits; shift += P::Bits) {
        rank_items<P>(key, rank, shift, s);
        exchange<P>(key, rank, s.keys);
        exchange<P>(val, rank, s.vals);
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < P::Items; ++i) {
        const int g = base + 32 * i;
        if (g < n) {
            kout[g] = key[i];
            vout[g] = val[i];
        }
    }
}

template <class P>
static void launch(const uint32_t* ki, const uint32_t* vi, uint32_t* ko, uint32_t* vo, int n, cudaStream_t st)
{
    // 32 is a multiple of neither 5 nor 6; the top digit is simply short
    sort_tiles<P><<<(n + P::Tile - 1) / P::Tile, P::Threads, 0, st>>>(ki, vi, ko, vo, n, 32);
}

int sort_blocks(const uint32_t* ki, const uint32_t* vi, uint32_t* ko, uint32_t* vo, int n, cudaStream_t st)
{
    if (n <= 0) return 0;
    if (n < 100000) launch<Policy<4, 4, 5>>(ki, vi, ko, vo, n, st);
    else launch<Policy<8, 8, 6>>(ki, vi, ko, vo, n, st);
    const cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess) fprintf(stderr, "sort_blocks: %s\n", cudaGetErrorString(e));
    return e != cudaSuccess;
}

}  // namespace rsort
