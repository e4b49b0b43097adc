#ifndef WP_SCAN_CUH
#define WP_SCAN_CUH
#include "wp/config.h"

namespace wp {

// Inclusive scan of 32 consecutive words of shared memory.
template <class Op, typename T>
__device__ __forceinline__ T scan_warp(volatile T* p, unsigned idx) {
  const Op op = Op();
  const unsigned lane = idx & (WP_WARP_SIZE - 1);
#pragma unroll
  for (unsigned d = 1; d < WP_WARP_SIZE; d <<= 1) {
    T t = p[idx];
    if (lane >= d) t = op(p[idx - d], t);
    WP_WARP_SYNC();
    p[idx] = t;
    WP_WARP_SYNC();
  }
  return p[idx];
}

// Inclusive scan over the block; on return p[i] holds the result of thread i.
template <class Op, typename T>
__device__ T scan_block(volatile T* p, unsigned idx) {
  const Op op = Op();
  const unsigned lane = idx & (WP_WARP_SIZE - 1), warp = idx >> WP_LOG_WARP;
  T val = scan_warp<Op, T>(p, idx);
  __syncthreads();
  if (lane == WP_WARP_SIZE - 1) p[warp] = val;
  __syncthreads();
  if (warp == 0) scan_warp<Op, T>(p, idx);
  __syncthreads();
  if (warp > 0) val = op(p[warp - 1], val);
  __syncthreads();
  p[idx] = val;
  __syncthreads();
  return val;
}

enum TileStatus { kTileInvalid = 0, kTileAggregate = 1, kTilePrefix = 2 };

template <typename T>
struct LookbackState {
  int* counter;
  int* status;
  T* aggregate;
  T* inclusive;

  __device__ void publish(int tile, T v, T* where, TileStatus st) {
    where[tile] = v;
    __threadfence();
    atomicExch(&status[tile], static_cast<int>(st));
  }

  template <class Op>
  __device__ T exclusive_prefix(int tile, T agg) {
    const Op op = Op();
    if (tile == 0) {
      publish(0, agg, inclusive, kTilePrefix);
      return Op::identity();
    }
    publish(tile, agg, aggregate, kTileAggregate);
    T prefix = Op::identity();
    for (int look = tile - 1;; --look) {
      int st;
      do {
        st = atomicAdd(&status[look], 0);
      } while (st == kTileInvalid);
      __threadfence();
      const volatile T* from = st == kTilePrefix ? inclusive : aggregate;
      prefix = op(from[look], prefix);
      if (st == kTilePrefix) break;
    }
    publish(tile, op(prefix, agg), inclusive, kTilePrefix);
    return prefix;
  }
};

// Single pass scan of a whole array.
template <class Op, typename T, int BLOCK>
__global__ void scan_lookback_kernel(const T* __restrict__ in, T* __restrict__ out, int n, LookbackState<T> state) {
  __shared__ T s[BLOCK];
  __shared__ int s_tile;
  __shared__ T s_prefix;
  const int t = threadIdx.x;
  if (t == 0) s_tile = atomicAdd(state.counter, 1);
  __syncthreads();
  const int tile = s_tile;
  const int i = tile * BLOCK + t;
  s[t] = i < n ? in[i] : Op::identity();
  WP_WARP_SYNC();
  const T v = scan_block<Op, T>(s, t);
  if (t == 0) s_prefix = state.template exclusive_prefix<Op>(tile, s[BLOCK - 1]);
  __syncthreads();
  if (i < n) out[i] = Op()(s_prefix, v);
}

}  // namespace wp
#endif
