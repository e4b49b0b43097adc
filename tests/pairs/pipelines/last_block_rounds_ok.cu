#include <cuda_runtime.h>

constexpr int kThreads = 256;

__global__ void __launch_bounds__(kThreads) segment_totals(const float* data, float* partial, float* totals, unsigned* count, int rounds, int seg_len) {
  __shared__ float red[kThreads];
  __shared__ bool last;
  for (int r = 0; r < rounds; ++r) {
    float s = 0.f;
    const float* seg = data + (size_t)r * seg_len;
    for (int i = blockIdx.x * kThreads + threadIdx.x; i < seg_len; i += gridDim.x * kThreads) s += seg[i];
    red[threadIdx.x] = s;
    __syncthreads();
    for (int o = kThreads / 2; o; o >>= 1) {
      if (threadIdx.x < o) red[threadIdx.x] += red[threadIdx.x + o];
      __syncthreads();
    }
    if (threadIdx.x == 0) {
      partial[(size_t)r * gridDim.x + blockIdx.x] = red[0];
      __threadfence();
      last = atomicAdd(&count[r], 1u) >= gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
      __threadfence();
      float t = 0.f;
      for (int b = threadIdx.x; b < (int)gridDim.x; b += kThreads) t += __ldcg(&partial[(size_t)r * gridDim.x + b]);
      red[threadIdx.x] = t;
      __syncthreads();
      for (int o = kThreads / 2; o; o >>= 1) {
        if (threadIdx.x < o) red[threadIdx.x] += red[threadIdx.x + o];
        __syncthreads();
      }
      if (threadIdx.x == 0) totals[r] = red[0];
    }
    __syncthreads();
  }
}

void launch_segment_totals(const float* data, float* partial, float* totals, unsigned* count, int rounds, int seg_len, cudaStream_t st) {
  cudaMemsetAsync(count, 0, sizeof(unsigned) * rounds, st);
  segment_totals<<<132, kThreads, 0, st>>>(data, partial, totals, count, rounds, seg_len);
}
