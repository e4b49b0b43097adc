#include <cuda/atomic>
#include <cstdint>
#include <cuda_runtime.h>

using State = cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>;
constexpr int kThreads = 256;
constexpr unsigned kAggregate = 1, kPrefix = 2;

__device__ unsigned long long pack(unsigned flag, unsigned v) { return ((unsigned long long)flag << 32) | v; }

__global__ void __launch_bounds__(kThreads) scan_kernel(const unsigned* in, unsigned* out, int n, unsigned long long* state, int* ticket, int num_tiles) {
  __shared__ int s_tile;
  __shared__ unsigned warp_tot[kThreads / 32];
  __shared__ unsigned s_excl;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  while (true) {
    __syncthreads();
    if (threadIdx.x == 0) s_tile = atomicAdd(ticket, 1);
    __syncthreads();
    const int tile = s_tile;
    if (tile >= num_tiles) return;
    const int i = tile * kThreads + threadIdx.x;
    const unsigned x = i < n ? in[i] : 0u;
    unsigned inc = x;
    for (int o = 1; o < 32; o <<= 1) {
      const unsigned y = __shfl_up_sync(~0u, inc, o);
      if (lane >= o) inc += y;
    }
    if (lane == 31) warp_tot[warp] = inc;
    __syncthreads();
    unsigned before = 0, total = 0;
    for (int w = 0; w < kThreads / 32; ++w) {
      if (w < warp) before += warp_tot[w];
      total += warp_tot[w];
    }
    if (threadIdx.x == 0) {
      unsigned excl = 0;
      if (tile > 0) {
        State(state[tile]).store(pack(kAggregate, total), cuda::memory_order_relaxed);
        for (int p = tile - 1; p >= 0; --p) {
          unsigned long long s;
          do {
            s = State(state[p]).load(cuda::memory_order_relaxed);
          } while ((s >> 32) == 0);
          excl += (unsigned)s;
          if ((s >> 32) == kPrefix) break;
        }
      }
      State(state[tile]).store(pack(kPrefix, excl + total), cuda::memory_order_relaxed);
      s_excl = excl;
    }
    __syncthreads();
    if (i < n) out[i] = s_excl + before + inc - x;
  }
}

void exclusive_scan(const unsigned* in, unsigned* out, int n, unsigned long long* state, int* ticket, cudaStream_t st) {
  const int tiles = (n + kThreads - 1) / kThreads;
  cudaMemsetAsync(state, 0, sizeof(unsigned long long) * tiles, st);
  cudaMemsetAsync(ticket, 0, sizeof(int), st);
  scan_kernel<<<264, kThreads, 0, st>>>(in, out, n, state, ticket, tiles);
}
