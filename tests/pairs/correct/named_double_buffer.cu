#include <cuda_runtime.h>

__device__ __forceinline__ void bar_sync(int id, int n) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(n) : "memory"); }
__device__ __forceinline__ void bar_arrive(int id, int n) { asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(n) : "memory"); }

constexpr int kLen = 640;
constexpr int kAll = 160;

__device__ float load_scaled(const float* p, const float* scale, int row, int e) { return p[(size_t)row * kLen + e] * scale[row]; }

__global__ void __launch_bounds__(kAll) named_pipeline(const float* __restrict__ in, const float* __restrict__ scale, const int* __restrict__ row_ptr,
                                                       float* __restrict__ out) {
  __shared__ float buf[2][kLen];
  const int lo = row_ptr[blockIdx.x], hi = row_ptr[blockIdx.x + 1];
  const int n = hi - lo;
  if (threadIdx.x >= 128) {
    const int lane = threadIdx.x - 128;
    for (int i = 0; i < n; ++i) {
      const int s = i & 1;
      if (i >= 2) bar_sync(3 + s, kAll);
      for (int e = lane; e < kLen; e += 32) buf[s][e] = load_scaled(in, scale, lo + i, e);
      bar_arrive(1 + s, kAll);
    }
  } else {
    float acc[5] = {};
    int i = 0;
    for (; i + 2 < n; ++i) {
      const int s = i & 1;
      bar_sync(1 + s, kAll);
      for (int j = 0; j < 5; ++j) acc[j] += buf[s][threadIdx.x + 128 * j];
      bar_arrive(3 + s, kAll);
    }
    for (; i < n; ++i) {
      const int s = i & 1;
      bar_sync(1 + s, kAll);
      for (int j = 0; j < 5; ++j) acc[j] += buf[s][threadIdx.x + 128 * j];
    }
    for (int j = 0; j < 5; ++j) out[(size_t)blockIdx.x * kLen + threadIdx.x + 128 * j] = acc[j];
  }
}

void launch_named_pipeline(const float* in, const float* scale, const int* row_ptr, float* out, int segments, cudaStream_t st) {
  named_pipeline<<<segments, kAll, 0, st>>>(in, scale, row_ptr, out);
}

int main() {
  const int segments = 300, rows = 300 * 23;
  float *in, *scale, *out;
  int* rp;
  cudaMalloc(&in, sizeof(float) * (size_t)rows * kLen);
  cudaMalloc(&scale, sizeof(float) * rows);
  cudaMalloc(&out, sizeof(float) * segments * kLen);
  cudaMalloc(&rp, sizeof(int) * (segments + 1));
  int h[segments + 1];
  for (int i = 0; i <= segments; ++i) h[i] = i * 23;
  cudaMemcpy(rp, h, sizeof(h), cudaMemcpyHostToDevice);
  launch_named_pipeline(in, scale, rp, out, segments, 0);
  return cudaDeviceSynchronize() != cudaSuccess;
}
