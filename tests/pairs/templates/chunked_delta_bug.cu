#include <cuda_runtime.h>
#include <algorithm>
#include <cstdint>

namespace delta {

struct Chunking {
  int n;
  int chunk;

  static __host__ __device__ int round_up(int v, int m) { return (v + m - 1) / m * m; }

  __device__ int begin(int w) const { return min(w * chunk, n); }
  __device__ int end(int w) const { return min(round_up((w + 1) * chunk, 4), n); }
};

template <typename T>
struct DeltaArgs {
  T* data;                // updated in place
  const T* zero_point;    // one value
  T* chunk_max;           // one per warp
  Chunking c;
  T scale;
};

template <typename T>
struct Dequant {
  T scale, zero;
  __device__ T operator()(T v) const { return (v - zero) * scale; }
};

template <typename T>
struct ClampedDequant {
  T scale, zero, limit;
  __device__ T operator()(T v) const {
    const T r = (v - zero) * scale;
    return r > limit ? limit : (r < -limit ? -limit : r);
  }
};

template <typename T>
__device__ __forceinline__ T warp_max(T v) {
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) {
    const T u = __shfl_xor_sync(0xffffffffu, v, o);
    v = u > v ? u : v;
  }
  return v;
}

template <typename T, class Fn>
__device__ __forceinline__ T apply_range(T* data, int b, int e, int lane, Fn fn) {
  T m = T(0);
  for (int k = b + lane; k < e; k += 32) {
    const T r = fn(data[k]);
    data[k] = r;
    const T a = r < T(0) ? -r : r;
    m = a > m ? a : m;
  }
  return m;
}

template <int WARPS, typename T, class Make>
__global__ void __launch_bounds__(WARPS * 32) dequant_kernel(DeltaArgs<T> a, Make make) {
  const int lane = threadIdx.x & 31;
  const int w = blockIdx.x * WARPS + (threadIdx.x >> 5);
  const auto fn = make(a.scale, *a.zero_point);
  const T m = warp_max(apply_range(a.data, a.c.begin(w), a.c.end(w), lane, fn));
  if (lane == 0) a.chunk_max[w] = m;
}

template <typename T>
struct MakePlain {
  __device__ Dequant<T> operator()(T s, T z) const { return Dequant<T>{s, z}; }
};

template <typename T>
struct MakeClamped {
  T limit;
  __device__ ClampedDequant<T> operator()(T s, T z) const { return ClampedDequant<T>{s, z, limit}; }
};

static Chunking plan(int n, int warps) {
  const int chunk = (n + warps - 1) / warps;
  return Chunking{n, std::max(1, chunk)};
}

template <int WARPS, typename T, class Make>
int launch(DeltaArgs<T> a, int n, int sms, Make make, cudaStream_t s) {
  const int blocks = std::max(1, std::min((n + WARPS * 128 - 1) / (WARPS * 128), sms * 4));
  a.c = plan(n, blocks * WARPS);
  dequant_kernel<WARPS><<<blocks, WARPS * 32, 0, s>>>(a, make);
  return blocks * WARPS;
}

// Returns the number of chunk maxima written.
int dequantize(const DeltaArgs<float>& a, int n, float limit, int sms, cudaStream_t s) {
  if (n <= 0) return 0;
  if (limit > 0.f) return launch<8>(a, n, sms, MakeClamped<float>{limit}, s);
  return launch<8>(a, n, sms, MakePlain<float>{}, s);
}

}  // namespace delta
