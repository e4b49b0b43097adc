// Bottom-up merge sort using merge path partitioning.
#include <cuda_runtime.h>
#include <utility>
#include <algorithm>
#include <cstdint>

namespace mp {

constexpr int kThreads = 128;
constexpr int kItems = 7;
constexpr int kTile = kThreads * kItems;

template <typename T>
__device__ int merge_path(const T* a, int na, const T* b, int nb, int diag) {
  int lo = max(0, diag - nb), hi = min(diag, na);
  while (lo < hi) {
    const int mid = (lo + hi) >> 1;
    if (!(b[diag - 1 - mid] < a[mid])) lo = mid + 1;
    else hi = mid;
  }
  return lo;
}

template <typename T>
__global__ void __launch_bounds__(kThreads) sort_tiles(T* data, int n) {
  __shared__ T sh[2][kTile];
  const int base = blockIdx.x * kTile;
  const int count = min(kTile, n - base);
  for (int i = threadIdx.x; i < count; i += kThreads) sh[0][i] = data[base + i];
  __syncthreads();
  const int first = threadIdx.x * kItems;
  const int last = min(first + kItems, count);
  for (int i = first + 1; i < last; ++i) {
    T v = sh[0][i];
    int j = i;
    for (; j > first && v < sh[0][j - 1]; --j) sh[0][j] = sh[0][j - 1];
    sh[0][j] = v;
  }
  T *src = sh[0], *dst = sh[1];
  for (int w = kItems; w < kTile; w *= 2) {
    __syncthreads();
    const int lo = first / (2 * w) * (2 * w);
    const int mid = min(lo + w, count), hi = min(lo + 2 * w, count);
    if (first < count) {
      const T* a = src + lo;
      const T* b = src + mid;
      int ia = merge_path(a, mid - lo, b, hi - mid, first - lo), ib = first - lo - ia;
      for (int o = first; o < last; ++o) {
        const bool take_a = ib >= hi - mid || (ia < mid - lo && !(b[ib] < a[ia]));
        dst[o] = take_a ? a[ia++] : b[ib++];
      }
    }
    T* t = src;
    src = dst;
    dst = t;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < count; i += kThreads) data[base + i] = src[i];
}

template <typename T>
__global__ void merge_pass(const T* __restrict__ in, T* __restrict__ out, int n, int width, int per_thread) {
  const long long t = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  const long long start = t * per_thread;
  if (start >= n) return;
  int o = int(start);
  const int stop = int(min((long long)n, start + per_thread));
  while (o < stop) {
    const long long w2 = 2LL * width;
    const int lo = int(o / w2 * w2);
    const int mid = int(min((long long)n, (long long)lo + width)), hi = int(min((long long)n, lo + w2));
    const T *a = in + lo, *b = in + mid;
    int ia = merge_path(a, mid - lo, b, hi - mid, o - lo), ib = o - lo - ia;
    const int end = min(hi, stop);
    for (; o < end; ++o) {
      const bool take_a = ib >= hi - mid || (ia < mid - lo && !(b[ib] < a[ia]));
      out[o] = take_a ? a[ia++] : b[ib++];
    }
  }
}

template <typename T>
T* sort(T* data, T* tmp, int n, cudaStream_t s) {
  if (n <= 0 || n > (1 << 29) || data == tmp) return data;
  sort_tiles<<<(n + kTile - 1) / kTile, kThreads, 0, s>>>(data, n);
  const int per_thread = std::clamp(n / (1 << 16), 4, 64);
  const int grid = (n + per_thread * 256 - 1) / (per_thread * 256);
  for (int w = kTile; w < n; w *= 2) {
    merge_pass<<<grid, 256, 0, s>>>(data, tmp, n, w, per_thread);
    std::swap(data, tmp);
  }
  return data;
}
template float* sort<float>(float*, float*, int, cudaStream_t);
template int64_t* sort<int64_t>(int64_t*, int64_t*, int, cudaStream_t);

}  // namespace mp
