// Single-pass exclusive prefix sum with decoupled look-back.
#include <cuda_runtime.h>
#include <cuda/atomic>
#include <cstdint>

namespace dlb {

constexpr int kThreads = 256;
constexpr int kItems = 8;
constexpr int kTile = kThreads * kItems;
constexpr unsigned kFull = 0xffffffffu;

enum : uint32_t { kEmpty = 0, kAggregate = 1, kPrefix = 2 };
using Word = unsigned long long;

__device__ Word pack(uint32_t flag, uint32_t v) { return (Word(flag) << 32) | v; }
__device__ uint32_t flag_of(Word w) { return uint32_t(w >> 32); }
__device__ uint32_t value_of(Word w) { return uint32_t(w); }

struct TileState {
  Word* words;
  __device__ void publish(int tile, Word w) const {
    cuda::atomic_ref<Word, cuda::thread_scope_device>(words[tile]).store(w, cuda::memory_order_relaxed);
  }
  __device__ Word peek(int tile) const {
    return cuda::atomic_ref<Word, cuda::thread_scope_device>(words[tile]).load(cuda::memory_order_relaxed);
  }
};

__device__ uint32_t look_back(const TileState& st, int tile) {
  const int lane = threadIdx.x & 31;
  uint32_t prefix = 0;
  for (int base = tile - 1;; base -= 32) {
    const int idx = base - lane;
    Word w = pack(kPrefix, 0);
    do {
      if (idx >= 0) w = st.peek(idx);
    } while (__any_sync(kFull, flag_of(w) == kEmpty));
    const unsigned done = __ballot_sync(kFull, flag_of(w) == kPrefix);
    const int stop = done ? __ffs(done) - 1 : 31;
    prefix += __reduce_add_sync(kFull, lane <= stop ? value_of(w) : 0u);
    if (done) return prefix;
  }
}

__global__ void __launch_bounds__(kThreads) scan(const uint32_t* __restrict__ in, uint32_t* __restrict__ out, int n, TileState st, int* next_tile) {
  __shared__ uint32_t warp_sum[kThreads / 32];
  __shared__ uint32_t tile_prefix;
  __shared__ int tile_id;
  if (threadIdx.x == 0) tile_id = atomicAdd(next_tile, 1);
  __syncthreads();
  const int tile = tile_id, lane = threadIdx.x & 31, wid = threadIdx.x >> 5;
  const int base = tile * kTile + threadIdx.x * kItems;
  uint32_t v[kItems], sum = 0;
#pragma unroll
  for (int k = 0; k < kItems; ++k) {
    v[k] = base + k < n ? in[base + k] : 0;
    sum += v[k];
  }
  uint32_t incl = sum;
  for (int d = 1; d < 32; d *= 2) {
    const uint32_t y = __shfl_up_sync(kFull, incl, d);
    if (lane >= d) incl += y;
  }
  if (lane == 31) warp_sum[wid] = incl;
  __syncthreads();
  uint32_t before = 0, total = 0;
#pragma unroll
  for (int w = 0; w < kThreads / 32; ++w) {
    before += w < wid ? warp_sum[w] : 0;
    total += warp_sum[w];
  }
  if (wid == 0) {
    if (lane == 0) st.publish(tile, pack(tile == 0 ? kPrefix : kAggregate, total));
    if (tile > 0) {
      const uint32_t p = look_back(st, tile);
      if (lane == 0) {
        st.publish(tile, pack(kPrefix, p + total));
        tile_prefix = p;
      }
    } else if (lane == 0) {
      tile_prefix = 0;
    }
  }
  __syncthreads();
  uint32_t run = tile_prefix + before + incl - sum;
  for (int k = 0; k < kItems; ++k) {
    if (base + k < n) out[base + k] = run;
    run += v[k];
  }
}

cudaError_t exclusive_sum(const uint32_t* in, uint32_t* out, int n, cudaStream_t s) {
  if (n <= 0 || n > (1 << 30)) return cudaErrorInvalidValue;
  const int tiles = (n + kTile - 1) / kTile;
  char* mem = nullptr;
  const size_t bytes = sizeof(Word) * tiles + sizeof(int);
  cudaError_t e = cudaMallocAsync(&mem, bytes, s);
  if (e != cudaSuccess) return e;
  cudaMemsetAsync(mem, 0, bytes, s);
  TileState st{reinterpret_cast<Word*>(mem)};
  scan<<<tiles, kThreads, 0, s>>>(in, out, n, st, reinterpret_cast<int*>(mem + sizeof(Word) * tiles));
  return cudaFreeAsync(mem, s);
}

}  // namespace dlb
