// CUB-like block primitives sharing one temporary storage.
#include <cuda_runtime.h>
#include <cstdint>
#include <algorithm>

namespace prim {

template <typename T, int BLOCK>
struct BlockScan {
  struct TempStorage {
    T warp[BLOCK / 32];
  };
  TempStorage& ts;
  __device__ T exclusive(T v, T& total) {
    const int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
    T incl = v;
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
      T o = __shfl_up_sync(0xffffffffu, incl, d);
      if (lane >= d) incl += o;
    }
    if (lane == 31) ts.warp[w] = incl;
    __syncthreads();
    T before = 0;
    total = 0;
#pragma unroll
    for (int i = 0; i < BLOCK / 32; ++i) {
      if (i < w) before += ts.warp[i];
      total += ts.warp[i];
    }
    return before + incl - v;
  }
};

template <typename T, int BLOCK, int ITEMS>
struct BlockExchange {
  struct TempStorage {
    T buf[BLOCK * ITEMS + BLOCK * ITEMS / 32];
  };
  TempStorage& ts;
  static __device__ int pad(int i) { return i + (i >> 5); }
  __device__ void striped_to_blocked(T (&v)[ITEMS]) {
    for (int k = 0; k < ITEMS; ++k) ts.buf[pad(k * BLOCK + threadIdx.x)] = v[k];
    __syncthreads();
    for (int k = 0; k < ITEMS; ++k) v[k] = ts.buf[pad(threadIdx.x * ITEMS + k)];
  }
  __device__ void blocked_to_striped(T (&v)[ITEMS]) {
    for (int k = 0; k < ITEMS; ++k) ts.buf[pad(threadIdx.x * ITEMS + k)] = v[k];
    __syncthreads();
    for (int k = 0; k < ITEMS; ++k) v[k] = ts.buf[pad(k * BLOCK + threadIdx.x)];
  }
};

template <typename T, int BLOCK, int ITEMS>
__global__ void __launch_bounds__(BLOCK) tile_scan(const T* __restrict__ in, T* __restrict__ out, T* __restrict__ totals, int n) {
  using Scan = BlockScan<T, BLOCK>;
  using Exchange = BlockExchange<T, BLOCK, ITEMS>;
  __shared__ union {
    typename Scan::TempStorage scan;
    typename Exchange::TempStorage exchange;
  } temp;
  constexpr int TILE = BLOCK * ITEMS;
  const int base = blockIdx.x * TILE;
  T v[ITEMS];
  for (int k = 0; k < ITEMS; ++k) {
    const int i = base + k * BLOCK + threadIdx.x;
    v[k] = i < n ? in[i] : T(0);
  }
  Exchange{temp.exchange}.striped_to_blocked(v);
  __syncthreads();
  T sum = 0, total;
  for (int k = 0; k < ITEMS; ++k) {
    const T x = v[k];
    v[k] = sum;
    sum += x;
  }
  const T off = Scan{temp.scan}.exclusive(sum, total);
  for (int k = 0; k < ITEMS; ++k) v[k] += off;
  __syncthreads();
  Exchange{temp.exchange}.blocked_to_striped(v);
  for (int k = 0; k < ITEMS; ++k) {
    const int i = base + k * BLOCK + threadIdx.x;
    if (i < n) out[i] = v[k];
  }
  if (threadIdx.x == 0) totals[blockIdx.x] = total;
}

template <typename T> struct Policy;
template <> struct Policy<int> { static constexpr int block = 256, items = 7; };
template <> struct Policy<unsigned long long> { static constexpr int block = 128, items = 4; };

template <typename T>
int scan_tiles(const T* in, T* out, T* totals, int n, cudaStream_t s) {
  using P = Policy<T>;
  if (n <= 0 || n > (1 << 30) || in == out) return 0;
  const int tiles = (n + P::block * P::items - 1) / (P::block * P::items);
  tile_scan<T, P::block, P::items><<<tiles, P::block, 0, s>>>(in, out, totals, n);
  return tiles;
}

template int scan_tiles<int>(const int*, int*, int*, int, cudaStream_t);
template int scan_tiles<unsigned long long>(const unsigned long long*, unsigned long long*, unsigned long long*, int, cudaStream_t);

}  // namespace prim
