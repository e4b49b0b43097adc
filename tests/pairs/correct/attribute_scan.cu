// Running sums per row; block size derived from device attributes and kernel attributes.
#include <cuda_runtime.h>
#include <algorithm>
#include <functional>

template <typename T>
class WarpScan {
 public:
  __device__ static T inclusive(T v) {
    const int lane = threadIdx.x & (warpSize - 1);
    for (int d = 1; d < warpSize; d <<= 1) {
      const T o = __shfl_up_sync(0xffffffffu, v, d);
      if (lane >= d) v += o;
    }
    return v;
  }
};

template <typename T>
__global__ void running_sum(const T* __restrict__ in, T* __restrict__ out, int cols, int ld) {
  __shared__ T totals[32];
  __shared__ T carry_slot[2];
  const int lane = threadIdx.x & (warpSize - 1), wid = threadIdx.x / warpSize, nw = blockDim.x / warpSize;
  const T* src = in + size_t(blockIdx.x) * ld;
  T* dst = out + size_t(blockIdx.x) * ld;
  if (threadIdx.x == 0) carry_slot[0] = T(0);
  int flip = 0;
  for (int base = 0; base < cols; base += blockDim.x, flip ^= 1) {
    const int c = base + threadIdx.x;
    T v = WarpScan<T>::inclusive(c < cols ? src[c] : T(0));
    if (lane == warpSize - 1) totals[wid] = v;
    __syncthreads();
    if (wid == 0) {
      T t = lane < nw ? totals[lane] : T(0);
      t = WarpScan<T>::inclusive(t);
      if (lane < nw) totals[lane] = t;
    }
    __syncthreads();
    const T carry = carry_slot[flip];
    if (wid > 0) v += totals[wid - 1];
    v += carry;
    if (c < cols) dst[c] = v;
    if (threadIdx.x == blockDim.x - 1) carry_slot[flip ^ 1] = v;
    __syncthreads();
  }
}

struct DeviceLimits {
  int warp = 32, max_threads = 1024;
  static DeviceLimits query() {
    DeviceLimits l;
    int dev = 0;
    cudaGetDevice(&dev);
    cudaDeviceGetAttribute(&l.warp, cudaDevAttrWarpSize, dev);
    cudaDeviceGetAttribute(&l.max_threads, cudaDevAttrMaxThreadsPerBlock, dev);
    return l;
  }
};

template <typename T>
int choose_block(int cols) {
  const DeviceLimits l = DeviceLimits::query();
  cudaFuncAttributes fa{};
  cudaFuncGetAttributes(&fa, running_sum<T>);
  int limit = std::min(l.max_threads, fa.maxThreadsPerBlock);
  limit -= limit % l.warp;
  const int wanted = ((cols + l.warp - 1) / l.warp) * l.warp;
  return std::max(l.warp, std::min(wanted, limit));
}

template <typename T>
bool running_sum_rows(const T* in, T* out, int rows, int cols, int ld, cudaStream_t s) {
  if (rows <= 0 || cols <= 0 || cols > (1 << 30) || ld < cols || in == out) return false;
  std::function<int(int)> chooser = choose_block<T>;
  running_sum<T><<<rows, chooser(cols), 0, s>>>(in, out, cols, ld);
  return cudaGetLastError() == cudaSuccess;
}

bool running_sum_f(const float* i, float* o, int r, int c, int ld) { return running_sum_rows(i, o, r, c, ld, 0); }
bool running_sum_u(const unsigned* i, unsigned* o, int r, int c, int ld) { return running_sum_rows(i, o, r, c, ld, 0); }
