#include <cuda_runtime.h>
#include <cfloat>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

// k-th largest element per row by most-significant-digit radix selection.

template <int BLOCK, int BITS>
struct RadixSelect {
  static constexpr int kBins = 1 << BITS;
  static constexpr uint32_t kDigitMask = kBins - 1;

  struct Storage {
    int bins[kBins];
    int digit;
    int rank;
  };

  Storage& s;
  __device__ explicit RadixSelect(Storage& st) : s(st) {}

  static __device__ __forceinline__ uint32_t toOrdered(float f) {
    const uint32_t u = __float_as_uint(f);
    return (u & 0x80000000u) ? ~u : (u | 0x80000000u);
  }
  static __device__ __forceinline__ float fromOrdered(uint32_t u) {
    return __uint_as_float((u & 0x80000000u) ? (u & 0x7fffffffu) : ~u);
  }

  __device__ void clear() {
    for (int b = threadIdx.x; b < kBins; b += BLOCK) s.bins[b] = 0;
    __syncthreads();
  }

  __device__ void count(const float* row, int n, uint32_t want, uint32_t mask, int shift) {
    for (int i = threadIdx.x; i < n; i += BLOCK) {
      const uint32_t u = toOrdered(row[i]);
      if ((u & mask) == want) atomicAdd(&s.bins[(u >> shift) & kDigitMask], 1);
    }
    __syncthreads();
  }

  __device__ void choose(int k) {
    if (threadIdx.x == 0) {
      int b = kBins - 1;
      for (; b > 0; --b) {
        if (k <= s.bins[b]) break;
        k -= s.bins[b];
      }
      s.digit = b;
      s.rank = k;
    }
    __syncthreads();
  }

  __device__ float operator()(const float* row, int n, int k) {
    uint32_t want = 0, mask = 0;
    for (int shift = 32 - BITS; shift >= 0; shift -= BITS) {
      clear();
      count(row, n, want, mask, shift);
      choose(k);
      want |= uint32_t(s.digit) << shift;
      mask |= kDigitMask << shift;
      k = s.rank;
    }
    return fromOrdered(want);
  }
};

template <int BLOCK>
__global__ void __launch_bounds__(BLOCK) rowKth(const float* m, int cols, int k, float* kth) {
  using Select = RadixSelect<BLOCK, 8>;
  __shared__ typename Select::Storage storage;
  const float* row = m + size_t(blockIdx.x) * cols;
  const float v = Select(storage)(row, cols, k);
  if (threadIdx.x == 0) kth[blockIdx.x] = v;
}

// Zero everything below the threshold of its row.
__global__ void sparsify(float* m, int cols, const float* kth) {
  const float t = kth[blockIdx.y];
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c < cols) {
    float& x = m[size_t(blockIdx.y) * cols + c];
    if (x < t) x = 0.f;
  }
}

cudaError_t keepTopK(float* m, int rows, int cols, int k, float* scratch, cudaStream_t s) {
  if (k < 1 || k > cols) return cudaErrorInvalidValue;
  rowKth<256><<<rows, 256, 0, s>>>(m, cols, k, scratch);
  sparsify<<<dim3((cols + 127) / 128, rows), 128, 0, s>>>(m, cols, scratch);
  return cudaGetLastError();
}

int main() {
  const int rows = 128, cols = 5000, k = 50;
  float *m, *t;
  cudaMallocManaged(&m, sizeof(float) * rows * cols);
  cudaMallocManaged(&t, sizeof(float) * rows);
  for (int i = 0; i < rows * cols; ++i) m[i] = rand() / float(RAND_MAX) - 0.5f;
  if (keepTopK(m, rows, cols, k, t, 0) != cudaSuccess) return 1;
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  int left = 0;
  for (int i = 0; i < cols; ++i) left += m[i] != 0.f;
  printf("row 0 keeps %d\n", left);
  return 0;
}
