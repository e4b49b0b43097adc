// Chained scan: status and value travel in one 64-bit word, blocks numbered by a ticket.
#include <cuda/atomic>
#include <cuda_runtime.h>

constexpr int THREADS = 256;
using Word = unsigned long long;
using Ref  = cuda::atomic_ref<Word, cuda::thread_scope_device>;
enum : unsigned { kNone = 0, kPartial = 1, kPrefix = 2 };

__device__ Word make_word(unsigned state, unsigned v) { return ((Word)state << 32) | v; }

__global__ void chained_scan(const unsigned* __restrict__ in, unsigned* __restrict__ out, int n,
                             Word* state, unsigned* ticket)
{
    __shared__ unsigned tile_id, excl;
    __shared__ unsigned warp_sum[THREADS / 32];
    if (threadIdx.x == 0) tile_id = atomicAdd(ticket, 1u);
    __syncthreads();
    const int tile = tile_id;
    const int lane = threadIdx.x & 31, wid = threadIdx.x >> 5;
    const int i = tile * THREADS + threadIdx.x;

    const unsigned x = i < n ? in[i] : 0u;
    unsigned inc = x;
    for (int d = 1; d < 32; d <<= 1) {
        const unsigned t = __shfl_up_sync(0xffffffffu, inc, d);
        if (lane >= d) inc += t;
    }
    if (lane == 31) warp_sum[wid] = inc;
    __syncthreads();
    unsigned total = 0, before = 0;
    for (int w = 0; w < THREADS / 32; ++w) {
        if (w < wid) before += warp_sum[w];
        total += warp_sum[w];
    }

    if (threadIdx.x == 0) {
        unsigned sum = 0;
        if (tile == 0) {
            Ref(state[0]).store(make_word(kPrefix, total), cuda::memory_order_relaxed);
        } else {
            Ref(state[tile]).store(make_word(kPartial, total), cuda::memory_order_relaxed);
            int look = tile - 1;
            while (true) {
                const Word w = Ref(state[look]).load(cuda::memory_order_relaxed);
                const unsigned st = (unsigned)(w >> 32);
                if (st == kNone) continue;
                sum += (unsigned)w;
                if (st == kPrefix) break;
                --look;
            }
            Ref(state[tile]).store(make_word(kPrefix, sum + total), cuda::memory_order_relaxed);
        }
        excl = sum;
    }
    __syncthreads();
    if (i < n) out[i] = excl + before + inc;
}

cudaError_t inclusive_scan(const unsigned* in, unsigned* out, int n, Word* state, unsigned* ticket,
                           cudaStream_t s)
{
    if (n <= 0) return cudaSuccess;
    if (n > (1 << 30)) return cudaErrorInvalidValue;
    const int tiles = (n + THREADS - 1) / THREADS;
    cudaMemsetAsync(state, 0, sizeof(Word) * tiles, s);
    cudaMemsetAsync(ticket, 0, sizeof(unsigned), s);
    chained_scan<<<tiles, THREADS, 0, s>>>(in, out, n, state, ticket);
    return cudaGetLastError();
}
