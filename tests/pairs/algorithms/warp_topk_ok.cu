// Row-wise top-k (k <= 32): each warp keeps its best 32 in shared memory and merges chunks.
#include <cuda_runtime.h>
#include <cfloat>
#include <cstdint>
#include <cstdio>

namespace topk {

constexpr int kWarps = 4;

struct Entry {
  float v;
  int i;
};

template <bool Largest>
__device__ __forceinline__ bool before(const Entry& a, const Entry& b) {
  return Largest ? (a.v > b.v || (a.v == b.v && a.i < b.i)) : (a.v < b.v || (a.v == b.v && a.i < b.i));
}

template <bool Largest>
__device__ __forceinline__ Entry worst() {
  return Entry{Largest ? -FLT_MAX : FLT_MAX, INT32_MAX};
}

// bitonic sort of 64 entries by one warp, two entries a lane
template <bool Largest>
__device__ void sort64(Entry* e, int lane) {
  for (int k = 2; k <= 64; k <<= 1) {
    for (int j = k >> 1; j > 0; j >>= 1) {
      const int lo = ((lane & ~(j - 1)) << 1) | (lane & (j - 1));
      const int hi = lo | j;
      const bool up = (lo & k) == 0;
      const Entry a = e[lo], b = e[hi];
      if (before<Largest>(b, a) == up) {
        e[lo] = b;
        e[hi] = a;
      }
      __syncwarp();
    }
  }
}

template <bool Largest>
__global__ void __launch_bounds__(kWarps * 32)
row_topk(const float* __restrict__ x, float* __restrict__ val, int* __restrict__ idx, int rows, int cols, int k) {
  __shared__ Entry pool[kWarps][64];
  const int lane = threadIdx.x, w = threadIdx.y;
  const int row = blockIdx.x * kWarps + w;
  if (row >= rows) return;

  Entry* mine = pool[w];
  mine[lane] = worst<Largest>();
  const float* src = x + (size_t)row * cols;
  for (int base = 0; base < cols; base += 32) {
    const int c = base + lane;
    mine[32 + lane] = c < cols ? Entry{src[c], c} : worst<Largest>();
    __syncwarp();
    sort64<Largest>(mine, lane);
  }
  if (lane < k) {
    val[(size_t)row * k + lane] = mine[lane].v;
    idx[(size_t)row * k + lane] = mine[lane].i;
  }
}

struct Request {
  const float* x;
  float* val;
  int* idx;
  int rows, cols, k;
  bool largest;
};

int launch(const Request& r, cudaStream_t s) {
  if (r.k < 1 || r.k > 32 || r.k > r.cols) return -1;
  if (r.rows == 0) return 0;
  const dim3 block(32, kWarps);
  const int grid = (r.rows + kWarps - 1) / kWarps;
  if (r.largest)
    row_topk<true><<<grid, block, 0, s>>>(r.x, r.val, r.idx, r.rows, r.cols, r.k);
  else
    row_topk<false><<<grid, block, 0, s>>>(r.x, r.val, r.idx, r.rows, r.cols, r.k);
  return cudaGetLastError() == cudaSuccess ? 0 : -2;
}

}  // namespace topk

int main() {
  topk::Request r{};
  r.rows = 1000;
  r.cols = 777;
  r.k = 8;
  r.largest = true;
  float *x, *v;
  int* i;
  cudaMalloc(&x, sizeof(float) * r.rows * r.cols);
  cudaMalloc(&v, sizeof(float) * r.rows * r.k);
  cudaMalloc(&i, sizeof(int) * r.rows * r.k);
  cudaMemset(x, 0, sizeof(float) * r.rows * r.cols);
  r.x = x;
  r.val = v;
  r.idx = i;
  if (topk::launch(r, 0)) return 1;
  return cudaDeviceSynchronize() != cudaSuccess;
}
