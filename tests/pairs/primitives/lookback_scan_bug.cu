#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <vector>

// Single pass prefix sum over large arrays. Every tile publishes its own sum,
// then walks back over its predecessors until it meets a finished prefix.

namespace onepass {

enum Status : int { kEmpty = 0, kPartial = 1, kPrefix = 2 };

template <typename T>
struct TileState {
  T* partial;
  T* prefix;
  int* status;
  unsigned* ticket;
};

template <typename T>
__device__ __forceinline__ void publish(T* slot, int* flag, T value, Status st) {
  __stcg(slot, value);
  *reinterpret_cast<volatile int*>(flag) = st;
}

template <typename T>
__device__ T lookBack(const TileState<T>& st, int tile) {
  T running = T(0);
  for (int p = tile - 1; p >= 0;) {
    const int s = *reinterpret_cast<volatile int*>(st.status + p);
    if (s == kEmpty) continue;
    __threadfence();
    if (s == kPrefix) {
      running += __ldcg(st.prefix + p);
      break;
    }
    running += __ldcg(st.partial + p);
    --p;
  }
  return running;
}

template <typename T>
__device__ __forceinline__ T warpInclusive(T v, int lane) {
#pragma unroll
  for (int d = 1; d < 32; d <<= 1) {
    const T up = __shfl_up_sync(0xffffffffu, v, d);
    if (lane >= d) v += up;
  }
  return v;
}

template <typename T, int BLOCK, int ITEMS>
__global__ void __launch_bounds__(BLOCK) inclusiveSum(const T* in, T* out, int n, TileState<T> st) {
  constexpr int WARPS = BLOCK / 32;
  __shared__ T warpSum[WARPS];
  __shared__ T tileBase;
  __shared__ int tileShared;

  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  if (threadIdx.x == 0) tileShared = int(atomicAdd(st.ticket, 1u));
  __syncthreads();
  const int tile = tileShared;
  const int first = tile * BLOCK * ITEMS + threadIdx.x * ITEMS;

  T v[ITEMS];
  T sum = T(0);
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    if (first + i < n) sum += in[first + i];
    v[i] = sum;
  }

  const T inc = warpInclusive(sum, lane);
  if (lane == 31) warpSum[warp] = inc;
  __syncthreads();

  T before = inc - sum;
  T total = T(0);
#pragma unroll
  for (int w = 0; w < WARPS; ++w) {
    if (w < warp) before += warpSum[w];
    total += warpSum[w];
  }

  if (threadIdx.x == 0) {
    if (tile == 0) {
      publish(st.prefix, st.status, total, kPrefix);
      tileBase = T(0);
    } else {
      publish(st.partial + tile, st.status + tile, total, kPartial);
      const T base = lookBack(st, tile);
      publish(st.prefix + tile, st.status + tile, base + total, kPrefix);
      tileBase = base;
    }
  }
  __syncthreads();

  const T base = tileBase + before;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i)
    if (first + i < n) out[first + i] = base + v[i];
}

template <typename T>
cudaError_t scan(const T* in, T* out, int n, cudaStream_t s) {
  constexpr int BLOCK = 256, ITEMS = sizeof(T) > 4 ? 6 : 12;
  const int tiles = (n + BLOCK * ITEMS - 1) / (BLOCK * ITEMS);
  if (tiles == 0) return cudaSuccess;
  TileState<T> st;
  char* mem = nullptr;
  const size_t vals = sizeof(T) * size_t(tiles);
  const size_t bytes = 2 * vals + sizeof(int) * size_t(tiles) + sizeof(unsigned);
  cudaError_t e = cudaMallocAsync(&mem, bytes, s);
  if (e != cudaSuccess) return e;
  cudaMemsetAsync(mem, 0, bytes, s);
  st.partial = reinterpret_cast<T*>(mem);
  st.prefix = reinterpret_cast<T*>(mem + vals);
  st.status = reinterpret_cast<int*>(mem + 2 * vals);
  st.ticket = reinterpret_cast<unsigned*>(st.status + tiles);
  inclusiveSum<T, BLOCK, ITEMS><<<tiles, BLOCK, 0, s>>>(in, out, n, st);
  e = cudaGetLastError();
  cudaFreeAsync(mem, s);
  return e;
}

}  // namespace onepass

int main() {
  const int n = 5'000'000;
  std::vector<int> ones(n, 1), res(n);
  int *a, *b;
  cudaMalloc(&a, n * sizeof(int));
  cudaMalloc(&b, n * sizeof(int));
  cudaMemcpy(a, ones.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  if (onepass::scan<int>(a, b, n, 0) != cudaSuccess) return 1;
  cudaMemcpy(res.data(), b, n * sizeof(int), cudaMemcpyDeviceToHost);
  printf("last = %d (want %d)\n", res[n - 1], n);
  double *x, *y;
  cudaMalloc(&x, n * sizeof(double));
  cudaMalloc(&y, n * sizeof(double));
  cudaMemset(x, 0, n * sizeof(double));
  if (onepass::scan<double>(x, y, n, 0) != cudaSuccess) return 1;
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
