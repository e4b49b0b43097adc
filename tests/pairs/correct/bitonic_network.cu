// Bitonic sort of large power-of-two arrays: shared memory for small strides, global steps for large ones.
#include <cuda_runtime.h>
#include <cstdio>
#include <functional>

template <typename T, typename Less>
__device__ __forceinline__ void cmp_exchange(T& a, T& b, bool ascending, Less less) {
  if (less(b, a) == ascending) {
    T t = a;
    a = b;
    b = t;
  }
}

struct LessThan {
  template <typename T> __device__ bool operator()(const T& a, const T& b) const { return a < b; }
};

template <unsigned THREADS, typename T>
__global__ void bitonic_local(T* data, unsigned k_first, unsigned k_last) {
  __shared__ T sh[2 * THREADS];
  const unsigned base = blockIdx.x * 2 * THREADS;
  sh[threadIdx.x] = data[base + threadIdx.x];
  sh[threadIdx.x + THREADS] = data[base + threadIdx.x + THREADS];
  for (unsigned k = k_first; k <= k_last; k <<= 1) {
    for (unsigned j = min(k >> 1, THREADS); j > 0; j >>= 1) {
      __syncthreads();
      const unsigned pos = 2 * threadIdx.x - (threadIdx.x & (j - 1));
      cmp_exchange(sh[pos], sh[pos + j], ((base + pos) & k) == 0, LessThan{});
    }
  }
  __syncthreads();
  data[base + threadIdx.x] = sh[threadIdx.x];
  data[base + threadIdx.x + THREADS] = sh[threadIdx.x + THREADS];
}

template <typename T>
__global__ void bitonic_global(T* data, unsigned half, unsigned j, unsigned k) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < half; i += gridDim.x * blockDim.x) {
    const unsigned pos = 2 * i - (i & (j - 1));
    T a = data[pos], b = data[pos + j];
    cmp_exchange(a, b, (pos & k) == 0, LessThan{});
    data[pos] = a;
    data[pos + j] = b;
  }
}

template <typename T, unsigned THREADS = 512>
bool bitonic_sort(T* d, unsigned n, cudaStream_t s = 0) {
  if (n < 2 * THREADS || (n & (n - 1)) || n > (1u << 28)) return false;
  const unsigned tile = 2 * THREADS;
  const unsigned blocks = n / tile;
  bitonic_local<THREADS><<<blocks, THREADS, 0, s>>>(d, 2u, tile);
  for (unsigned k = tile << 1; k <= n; k <<= 1) {
    unsigned j = k >> 1;
    for (; j > THREADS; j >>= 1) bitonic_global<<<(blocks + 1) / 2, 256, 0, s>>>(d, n / 2, j, k);
    bitonic_local<THREADS><<<blocks, THREADS, 0, s>>>(d, k, k);
  }
  return cudaGetLastError() == cudaSuccess;
}

int main() {
  const unsigned n = 1u << 20;
  float* f = nullptr;
  int* i = nullptr;
  cudaMalloc(&f, n * sizeof(float));
  cudaMalloc(&i, n * sizeof(int));
  cudaMemset(f, 1, n * sizeof(float));
  cudaMemset(i, 2, n * sizeof(int));
  bool ok = bitonic_sort(f, n) && bitonic_sort<int, 128>(i, n) && bitonic_sort<int, 1024>(i, n / 2);
  ok = ok && cudaDeviceSynchronize() == cudaSuccess;
  std::printf("%s\n", ok ? "ok" : "failed");
  cudaFree(f);
  cudaFree(i);
  return ok ? 0 : 1;
}
