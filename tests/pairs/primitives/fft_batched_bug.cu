#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <vector>

// Batched in-core radix-8 FFT. Each transform is owned by one row of the
// thread block (threadIdx.y), every thread keeps eight points in registers.

namespace fftk {

constexpr int kWave = 64;
constexpr int kRadix = 8;

template <int N>
struct Plan {
  static constexpr int threads = N / kRadix;
  static constexpr int rows = threads >= 128 ? 1 : 128 / threads;
  static constexpr int pitch = N + N / 32;
};

__device__ __forceinline__ float2 cadd(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ __forceinline__ float2 csub(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
__device__ __forceinline__ float2 cmul(float2 a, float2 b) {
  return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

__device__ __forceinline__ float2 twiddle(int k, int n) {
  float s, c;
  __sincosf(-6.28318530718f * float(k) / float(n), &s, &c);
  return make_float2(c, s);
}

__device__ __forceinline__ void dft8(float2 (&v)[kRadix]) {
#pragma unroll
  for (int half = 4; half >= 1; half >>= 1) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int lo = (i / half) * half * 2 + (i % half);
      const float2 a = v[lo], b = v[lo + half];
      v[lo] = cadd(a, b);
      v[lo + half] = cmul(csub(a, b), twiddle(i % half, half * 2));
    }
  }
}

// Transforms narrower than a wave live in a single wave, so there is no need
// to stall the other rows of the block.
template <int Threads>
__device__ __forceinline__ void rowFence() {
  if constexpr (Threads > kWave) {
    __syncthreads();
  } else {
    __syncwarp();
  }
}

__device__ __forceinline__ int pad(int i) { return i + (i >> 5); }

template <int N>
__device__ __forceinline__ void exchange(float2 (&v)[kRadix], float* lane, int t, int stride) {
  constexpr int T = Plan<N>::threads;
  const int base = (t / stride) * stride * kRadix + (t % stride);
#pragma unroll
  for (int i = 0; i < kRadix; ++i) lane[pad(base + i * stride)] = v[i].x;
  rowFence<T>();
#pragma unroll
  for (int i = 0; i < kRadix; ++i) v[i].x = lane[pad(t + i * T)];
  rowFence<T>();
#pragma unroll
  for (int i = 0; i < kRadix; ++i) lane[pad(base + i * stride)] = v[i].y;
  rowFence<T>();
#pragma unroll
  for (int i = 0; i < kRadix; ++i) v[i].y = lane[pad(t + i * T)];
  rowFence<T>();
}

template <int N>
__global__ void __launch_bounds__(Plan<N>::threads* Plan<N>::rows)
    fftForward(const float2* __restrict__ in, float2* __restrict__ out, int batch) {
  using P = Plan<N>;
  __shared__ float slab[P::rows][P::pitch];
  const int t = threadIdx.x;
  const int row = threadIdx.y;
  const int item = blockIdx.x * P::rows + row;
  const bool live = item < batch;

  float2 v[kRadix];
#pragma unroll
  for (int i = 0; i < kRadix; ++i)
    v[i] = live ? in[size_t(item) * N + t + i * P::threads] : make_float2(0.f, 0.f);

#pragma unroll
  for (int s = 1; s * kRadix < N; s *= kRadix) {
    dft8(v);
    const int k = t % s;
#pragma unroll
    for (int i = 1; i < kRadix; ++i) v[i] = cmul(v[i], twiddle(i * k, s * kRadix));
    exchange<N>(v, slab[row], t, s);
  }
  dft8(v);

  if (live) {
#pragma unroll
    for (int i = 0; i < kRadix; ++i) out[size_t(item) * N + t + i * P::threads] = v[i];
  }
}

template <int N>
void launch(const float2* in, float2* out, int batch, cudaStream_t s) {
  using P = Plan<N>;
  dim3 block(P::threads, P::rows);
  dim3 grid((batch + P::rows - 1) / P::rows);
  fftForward<N><<<grid, block, 0, s>>>(in, out, batch);
  cudaError_t e = cudaGetLastError();
  if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e));
}

void forward(int n, const float2* in, float2* out, int batch, cudaStream_t s) {
  switch (n) {
    case 64: launch<64>(in, out, batch, s); break;
    case 512: launch<512>(in, out, batch, s); break;
    case 4096: launch<4096>(in, out, batch, s); break;
    default: throw std::invalid_argument("unsupported length");
  }
}

}  // namespace fftk

int main() {
  const int batch = 1000;
  for (int n : {64, 512, 4096}) {
    float2 *a, *b;
    cudaMalloc(&a, sizeof(float2) * n * batch);
    cudaMalloc(&b, sizeof(float2) * n * batch);
    cudaMemset(a, 0, sizeof(float2) * n * batch);
    fftk::forward(n, a, b, batch, 0);
    printf("%d: %s\n", n, cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(a);
    cudaFree(b);
  }
  return 0;
}
