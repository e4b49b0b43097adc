// Single-pass cumulative sum (decoupled look-back) over token counts / probabilities.  nvcc -arch=sm_80
#include <cuda_runtime.h>

#include <cstdint>

namespace scan {

constexpr int kThreads = 128;
constexpr int kItems = 4;
constexpr int kTile = kThreads * kItems;

enum Status : int { kEmpty = 0, kAggregate = 1, kPrefix = 2 };

struct TileState {
  volatile float *aggregate;
  volatile float *inclusive;
  volatile int *status;    // kEmpty on entry
  unsigned int *next_tile; // zero on entry
};

__device__ __forceinline__ float warp_inclusive(float v, int lane) {
#pragma unroll
  for (int o = 1; o < 32; o <<= 1) {
    const float t = __shfl_up_sync(0xffffffffu, v, o);
    if (lane >= o) v += t;
  }
  return v;
}

// returns the exclusive prefix of the thread; *total gets the block sum
__device__ float block_exclusive(float v, float *warp_sums, float *total) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const float inc = warp_inclusive(v, lane);
  if (lane == 31) warp_sums[warp] = inc;
  __syncthreads();
  float before = 0.f, all = 0.f;
#pragma unroll
  for (int w = 0; w < kThreads / 32; ++w) {
    if (w < warp) before += warp_sums[w];
    all += warp_sums[w];
  }
  *total = all;
  return before + inc - v;
}

__device__ float look_back(const TileState &st, int tile) {
  float prefix = 0.f;
  for (int p = tile - 1; p >= 0; --p) {
    int s;
    do {
      s = st.status[p];
    } while (s == kEmpty);
    __threadfence();
    if (s == kPrefix) {
      prefix += st.inclusive[p];
      break;
    }
    prefix += st.aggregate[p];
  }
  return prefix;
}

template <bool kExclusive>
__global__ void __launch_bounds__(kThreads) cumsum_kernel(const float *__restrict__ in, float *__restrict__ out,
                                                          int64_t n, TileState st) {
  __shared__ float s_warp[kThreads / 32];
  __shared__ float s_prefix;
  __shared__ int s_tile;

  if (threadIdx.x == 0) s_tile = static_cast<int>(atomicAdd(st.next_tile, 1u));
  __syncthreads();
  const int tile = s_tile;
  const int64_t base = static_cast<int64_t>(tile) * kTile + threadIdx.x * kItems;

  float v[kItems], sum = 0.f;
#pragma unroll
  for (int i = 0; i < kItems; ++i) {
    v[i] = base + i < n ? in[base + i] : 0.f;
    sum += v[i];
  }
  float total;
  float running = block_exclusive(sum, s_warp, &total);

  if (threadIdx.x == 0) {
    st.aggregate[tile] = total;
    __threadfence();
    st.status[tile] = kAggregate;
    s_prefix = look_back(st, tile);
  }
  __syncthreads();
  running += s_prefix;

#pragma unroll
  for (int i = 0; i < kItems; ++i) {
    const float incl = running + v[i];
    if (base + i < n) out[base + i] = kExclusive ? running : incl;
    running = incl;
  }

  if (threadIdx.x == kThreads - 1) {
    st.inclusive[tile] = running;
    __threadfence();
  }
  if (threadIdx.x == 0) st.status[tile] = kPrefix;
}

}  // namespace scan

void cumsum(const float *in, float *out, int64_t n, bool exclusive, float *ws_float, int *ws_int,
            cudaStream_t stream) {
  if (n == 0) return;
  const int tiles = static_cast<int>((n + scan::kTile - 1) / scan::kTile);
  cudaMemsetAsync(ws_int, 0, sizeof(int) * (tiles + 1), stream);
  const scan::TileState st{ws_float, ws_float + tiles, ws_int + 1, reinterpret_cast<unsigned int *>(ws_int)};
  if (exclusive)
    scan::cumsum_kernel<true><<<tiles, scan::kThreads, 0, stream>>>(in, out, n, st);
  else
    scan::cumsum_kernel<false><<<tiles, scan::kThreads, 0, stream>>>(in, out, n, st);
}
