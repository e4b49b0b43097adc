// Single-pass stream compaction with decoupled look-back.
#include <cuda/atomic>
#include <cuda_runtime.h>
#include <cstdint>
#include <stdexcept>

namespace lookback {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr uint32_t kEmpty = 0, kPartial = 1, kPrefix = 2;

using Word = unsigned long long;
using WordRef = cuda::atomic_ref<Word, cuda::thread_scope_device>;

__device__ Word pack(uint32_t state, uint32_t value) { return ((Word)state << 32) | value; }

// Sum over all tiles before `tile`; called by a full warp.
__device__ uint32_t gather(Word *status, int tile)
{
    const int lane = threadIdx.x & 31;
    uint32_t sum = 0;
    for (int end = tile - 1;; end -= 32) {
        const int t = end - lane;
        Word w;
        do {
            w = t >= 0 ? WordRef(status[t]).load(cuda::memory_order_relaxed) : pack(kPrefix, 0);
        } while (__any_sync(~0u, (uint32_t)(w >> 32) == kEmpty));
        const unsigned done = __ballot_sync(~0u, (uint32_t)(w >> 32) == kPrefix);
        const int stop = done ? __ffs(done) - 1 : 31;
        sum += __reduce_add_sync(~0u, lane <= stop ? (uint32_t)w : 0u);
        if (done)
            return sum;
    }
}

template <typename Pred>
__global__ void __launch_bounds__(kThreads)
copy_if(const int *in, int n, int *out, unsigned *ticket, Word *status, uint32_t *kept, Pred pred)
{
    __shared__ int tile_s;
    __shared__ uint32_t warp_count[kWarps];
    __shared__ uint32_t base_s;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;

    if (threadIdx.x == 0)
        tile_s = (int)atomicAdd(ticket, 1u);
    __syncthreads();
    const int tile = tile_s;
    const int i = tile * kThreads + threadIdx.x;
    const int v = i < n ? in[i] : 0;
    const bool keep = i < n && pred(v);
    const unsigned vote = __ballot_sync(~0u, keep);
    if (lane == 0)
        warp_count[warp] = __popc(vote);
    __syncthreads();

    uint32_t before = 0, all = 0;
    for (int w = 0; w < kWarps; ++w) {
        before += w < warp ? warp_count[w] : 0;
        all += warp_count[w];
    }
    if (warp == 0) {
        if (lane == 0)
            WordRef(status[tile]).store(pack(tile ? kPartial : kPrefix, all),
                                        cuda::memory_order_relaxed);
        uint32_t base = 0;
        if (tile > 0) {
            base = gather(status, tile);
            if (lane == 0)
                WordRef(status[tile]).store(pack(kPrefix, base + all), cuda::memory_order_relaxed);
        }
        if (lane == 0) {
            base_s = base;
            if (tile == (int)gridDim.x - 1)
                *kept = base + all;
        }
    }
    __syncthreads();
    if (keep)
        out[base_s + before + __popc(vote & ((1u << lane) - 1))] = v;
}

struct NonNegative {
    __device__ bool operator()(int v) const { return v >= 0; }
};

void keep_non_negative(const int *in, int n, int *out, unsigned *ticket, Word *status,
                       uint32_t *kept, cudaStream_t s)
{
    if (n < 1 || n > (1 << 30) || in == out)
        throw std::invalid_argument("keep_non_negative");
    const int tiles = (n + kThreads - 1) / kThreads;
    cudaMemsetAsync(ticket, 0, sizeof *ticket, s);
    cudaMemsetAsync(status, 0, tiles * sizeof(Word), s);
    copy_if<<<tiles, kThreads, 0, s>>>(in, n, out, ticket, status, kept, NonNegative{});
    if (cudaGetLastError() != cudaSuccess)
        throw std::runtime_error("keep_non_negative: launch");
}

}  // namespace lookback
