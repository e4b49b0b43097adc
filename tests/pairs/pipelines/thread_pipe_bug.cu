#include <cuda/pipeline>
#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr int kDepth = 3;

__global__ void __launch_bounds__(kThreads) diff_filter(const float4* __restrict__ x, float4* __restrict__ y, const int* __restrict__ tile_ptr) {
  __shared__ float4 ring[kDepth][kThreads];
  auto pipe = cuda::make_pipeline();
  const int lo = tile_ptr[blockIdx.x], hi = tile_ptr[blockIdx.x + 1];
  int fetch = lo;
  for (int t = lo; t < hi; ++t) {
    for (; fetch < hi && fetch < t + kDepth; ++fetch) {
      pipe.producer_acquire();
      cuda::memcpy_async(&ring[(fetch - lo) % kDepth][threadIdx.x], x + (size_t)fetch * kThreads + threadIdx.x, cuda::aligned_size_t<16>(16), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    const float4 a = ring[(t - lo) % kDepth][threadIdx.x];
    const float4 b = ring[(t - lo) % kDepth][(threadIdx.x + 1) % kThreads];
    y[(size_t)t * kThreads + threadIdx.x] = make_float4(b.x - a.x, b.y - a.y, b.z - a.z, b.w - a.w);
    __syncthreads();
    pipe.consumer_release();
  }
}

void launch_diff_filter(const float4* x, float4* y, const int* tile_ptr, int segments, cudaStream_t st) {
  diff_filter<<<segments, kThreads, 0, st>>>(x, y, tile_ptr);
}
