#include <cuda_runtime.h>

constexpr int kThreads = 128;

__global__ void __launch_bounds__(kThreads) splitk_persistent(const float* A, const float* x, float* partial, float* out, unsigned* counters, int tiles, int splits, int k_per_split) {
  __shared__ bool is_last;
  const int units = tiles * splits;
  for (int u = blockIdx.x; u < units; u += gridDim.x) {
    const int tile = u / splits, sp = u % splits;
    const int row = tile * kThreads + threadIdx.x;
    float acc = 0.f;
    const int k0 = sp * k_per_split;
    for (int k = k0; k < k0 + k_per_split; ++k) acc += A[(size_t)k * tiles * kThreads + row] * x[k];
    partial[(size_t)u * kThreads + threadIdx.x] = acc;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
      const unsigned old = atomicAdd(&counters[tile], 1u);
      is_last = old == (unsigned)splits - 1;
      if (is_last) counters[tile] = 0;
    }
    __syncthreads();
    if (is_last) {
      __threadfence();
      float s = 0.f;
      for (int q = 0; q < splits; ++q) s += __ldcg(&partial[((size_t)tile * splits + q) * kThreads + threadIdx.x]);
      out[row] = s;
    }
    __syncthreads();
  }
}

void launch_splitk(const float* A, const float* x, float* partial, float* out, unsigned* counters, int rows, int K, int splits, cudaStream_t st) {
  const int tiles = rows / kThreads;
  cudaMemsetAsync(counters, 0, sizeof(unsigned) * tiles, st);
  splitk_persistent<<<132, kThreads, 0, st>>>(A, x, partial, out, counters, tiles, splits, K / splits);
}

int main() {
  const int rows = 8192, K = 4096, splits = 8;
  float *A, *x, *partial, *out;
  unsigned* counters;
  cudaMalloc(&A, sizeof(float) * (size_t)rows * K);
  cudaMalloc(&x, sizeof(float) * K);
  cudaMalloc(&partial, sizeof(float) * rows * splits);
  cudaMalloc(&out, sizeof(float) * rows);
  cudaMalloc(&counters, sizeof(unsigned) * (rows / kThreads));
  launch_splitk(A, x, partial, out, counters, rows, K, splits, 0);
  return cudaDeviceSynchronize() != cudaSuccess;
}
