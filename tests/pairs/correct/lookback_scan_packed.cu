// Single-pass scan with decoupled look-back. Flag and value share one 64-bit word,
// so that no separate fence is needed; tiles are numbered in order of arrival.
#include <cuda_runtime.h>
#include <cuda/atomic>
#include <cstdint>
#include <cassert>

constexpr int THREADS = 128, ITEMS = 4, TILE = THREADS * ITEMS;
enum : uint32_t { INVALID = 0, AGGREGATE = 1, PREFIX = 2 };
using Word = unsigned long long;
using Ref = cuda::atomic_ref<Word, cuda::thread_scope_device>;

__device__ __forceinline__ Word pack(uint32_t f, uint32_t v) { return (Word)f << 32 | v; }

__device__ uint32_t lookBack(Word* state, int tile)
{
    // executed by one full warp
    const int lane = threadIdx.x & 31;
    uint32_t sum = 0;
    for (int top = tile - 1;; top -= 32) {
        const int t = top - lane;
        Word w = pack(PREFIX, 0);
        if (t >= 0) {
            do { w = Ref(state[t]).load(cuda::memory_order_relaxed); } while ((uint32_t)(w >> 32) == INVALID);
        }
        __syncwarp();
        const unsigned pre = __ballot_sync(0xffffffffu, (uint32_t)(w >> 32) == PREFIX);
        const int stop = pre ? __ffs(pre) - 1 : 31;
        sum += __reduce_add_sync(0xffffffffu, lane <= stop ? (uint32_t)w : 0u);
        if (pre) return sum;
    }
}

__global__ void __launch_bounds__(THREADS)
scan(const uint32_t* __restrict__ in, uint32_t* __restrict__ out, int n, Word* state, int* nextTile)
{
    __shared__ int sTile;
    __shared__ uint32_t warpSum[THREADS / 32];
    __shared__ uint32_t sPrefix;
    if (threadIdx.x == 0) sTile = atomicAdd(nextTile, 1);
    __syncthreads();
    const int tile = sTile;
    const int base = tile * TILE + threadIdx.x * ITEMS;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;

    uint32_t v[ITEMS], sum = 0;
    #pragma unroll
    for (int k = 0; k < ITEMS; ++k) { v[k] = base + k < n ? in[base + k] : 0u; sum += v[k]; }
    uint32_t incl = sum;
    #pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        const uint32_t o = __shfl_up_sync(0xffffffffu, incl, d);
        if (lane >= d) incl += o;
    }
    if (lane == 31) warpSum[warp] = incl;
    __syncthreads();
    uint32_t before = 0, total = 0;
    #pragma unroll
    for (int w = 0; w < THREADS / 32; ++w) { if (w < warp) before += warpSum[w]; total += warpSum[w]; }

    if (warp == 0) {
        if (lane == 0) Ref(state[tile]).store(pack(tile ? AGGREGATE : PREFIX, total), cuda::memory_order_relaxed);
        uint32_t p = 0;
        if (tile > 0) {
            p = lookBack(state, tile);
            if (lane == 0) Ref(state[tile]).store(pack(PREFIX, p + total), cuda::memory_order_relaxed);
        }
        if (lane == 0) sPrefix = p;
    }
    __syncthreads();
    uint32_t run = sPrefix + before + incl - sum;
    #pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        if (base + k < n) out[base + k] = run;
        run += v[k];
    }
}

void exclusiveScan(const uint32_t* in, uint32_t* out, int n, Word* state, int* nextTile, cudaStream_t s)
{
    assert(n >= 0 && n <= (1 << 29));
    if (n == 0) return;
    const int tiles = (n + TILE - 1) / TILE;
    cudaMemsetAsync(state, 0, tiles * sizeof(Word), s);
    cudaMemsetAsync(nextTile, 0, sizeof(int), s);
    scan<<<tiles, THREADS, 0, s>>>(in, out, n, state, nextTile);
}

int main()
{
    const int n = 1000003, tiles = (n + TILE - 1) / TILE;
    uint32_t *a, *b; Word* st; int* nt;
    cudaMalloc(&a, n * 4); cudaMalloc(&b, n * 4); cudaMalloc(&st, tiles * sizeof(Word)); cudaMalloc(&nt, 4);
    cudaMemset(a, 0, n * 4);
    exclusiveScan(a, b, n, st, nt, 0);
    cudaDeviceSynchronize();
    cudaFree(a); cudaFree(b); cudaFree(st); cudaFree(nt);
    return 0;
}
