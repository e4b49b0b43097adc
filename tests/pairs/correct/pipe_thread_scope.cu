#include <cuda/pipeline>
#include <cuda_runtime.h>

constexpr int kThreads = 128;
constexpr int kDepth = 2;

__global__ void __launch_bounds__(kThreads) conv1d(const float4* __restrict__ x, const float* __restrict__ k, float* __restrict__ y, int tiles) {
  __shared__ float4 stage[kDepth][kThreads];
  __shared__ float taps[8];
  if (threadIdx.x < 8) taps[threadIdx.x] = k[threadIdx.x];
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
  const size_t base = (size_t)blockIdx.x * tiles * kThreads;

  for (int p = 0; p < kDepth; ++p) {
    pipe.producer_acquire();
    if (p < tiles)
      cuda::memcpy_async(&stage[p][threadIdx.x], x + base + (size_t)p * kThreads + threadIdx.x, cuda::aligned_size_t<16>(16), pipe);
    pipe.producer_commit();
  }
  for (int t = 0; t < tiles; ++t) {
    const int s = t % kDepth;
    cuda::pipeline_consumer_wait_prior<kDepth - 1>(pipe);
    __syncthreads();
    const float* flat = reinterpret_cast<const float*>(stage[s]);
    float acc[4];
    for (int j = 0; j < 4; ++j) {
      const int e = threadIdx.x * 4 + j;
      float a = 0.f;
      for (int q = 0; q < 8; ++q) {
        const int i = e + q - 4;
        if (i >= 0 && i < kThreads * 4) a += taps[q] * flat[i];
      }
      acc[j] = a;
    }
    pipe.consumer_release();
    __syncthreads();
    pipe.producer_acquire();
    if (t + kDepth < tiles)
      cuda::memcpy_async(&stage[s][threadIdx.x], x + base + (size_t)(t + kDepth) * kThreads + threadIdx.x, cuda::aligned_size_t<16>(16), pipe);
    pipe.producer_commit();
    for (int j = 0; j < 4; ++j) y[(base + (size_t)t * kThreads + threadIdx.x) * 4 + j] = acc[j];
  }
}

void launch_conv1d(const float4* x, const float* k, float* y, int n_vec, cudaStream_t st) {
  const int blocks = 264;
  const int tiles = n_vec / (blocks * kThreads);
  if (tiles > 0) conv1d<<<blocks, kThreads, 0, st>>>(x, k, y, tiles);
}

int main() {
  float4 *x;
  float *k, *y;
  const int n_vec = 264 * kThreads * 31;
  cudaMalloc(&x, sizeof(float4) * n_vec);
  cudaMalloc(&y, sizeof(float4) * n_vec);
  cudaMalloc(&k, sizeof(float) * 8);
  launch_conv1d(x, k, y, n_vec, 0);
  return cudaDeviceSynchronize() != cudaSuccess;
}
