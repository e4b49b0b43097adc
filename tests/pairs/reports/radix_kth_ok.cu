#include <cuda_runtime.h>
#include <cstdint>

namespace kth {

constexpr int RADIX_BITS = 2;
constexpr int RADIX_SIZE = 1 << RADIX_BITS;
constexpr uint32_t RADIX_MASK = RADIX_SIZE - 1;

__device__ __forceinline__ uint32_t convert(float v) {
  const uint32_t x = __float_as_uint(v);
  const uint32_t m = (x & 0x80000000u) ? 0xffffffffu : 0x80000000u;
  return x ^ m;
}

__device__ __forceinline__ float deconvert(uint32_t v) {
  const uint32_t m = (v & 0x80000000u) ? 0x80000000u : 0xffffffffu;
  return __uint_as_float(v ^ m);
}

__device__ void count_radix(const float* data, int n, uint32_t desired, uint32_t mask, int pos,
                            int* smem, int counts[RADIX_SIZE]) {
  if (threadIdx.x < RADIX_SIZE) smem[threadIdx.x] = 0;
  __syncthreads();
  int local[RADIX_SIZE] = {0, 0, 0, 0};
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    const uint32_t v = convert(data[i]);
    if ((v & mask) == desired) {
      const uint32_t digit = (v >> pos) & RADIX_MASK;
#pragma unroll
      for (int j = 0; j < RADIX_SIZE; ++j) local[j] += (digit == j);
    }
  }
#pragma unroll
  for (int j = 0; j < RADIX_SIZE; ++j)
    if (local[j] > 0) atomicAdd(&smem[j], local[j]);
  __syncthreads();
#pragma unroll
  for (int j = 0; j < RADIX_SIZE; ++j) counts[j] = smem[j];
  __syncthreads();
}

__device__ uint32_t find_pattern(const float* data, int n, uint32_t desired, uint32_t mask,
                                 int* smem) {
  if (threadIdx.x == 0) {
    smem[0] = 0;
    smem[1] = 0;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    const uint32_t v = convert(data[i]);
    if ((v & mask) == desired) {
      smem[0] = 1;
      smem[1] = (int)v;
    }
  }
  __syncthreads();
  return (uint32_t)smem[1];
}

__global__ void kth_smallest_kernel(const float* data, int n, int k, float* out) {
  __shared__ int smem[RADIX_SIZE];
  const float* row = data + (size_t)blockIdx.x * n;
  uint32_t desired = 0, mask = 0;
  int left = k;

  for (int pos = 32 - RADIX_BITS; pos >= 0; pos -= RADIX_BITS) {
    int counts[RADIX_SIZE];
    count_radix(row, n, desired, mask, pos, smem, counts);
    int digit = 0;
    while (digit < RADIX_SIZE - 1 && left > counts[digit]) left -= counts[digit++];
    desired |= (uint32_t)digit << pos;
    mask |= RADIX_MASK << pos;
    if (counts[digit] == 1) {
      desired = find_pattern(row, n, desired, mask, smem);
      break;
    }
  }
  if (threadIdx.x == 0) out[blockIdx.x] = deconvert(desired);
}

void kth_smallest(const float* data, int rows, int n, int k, float* out, cudaStream_t stream) {
  if (rows == 0 || k < 1 || k > n) return;
  int threads = (n + 31) / 32 * 32;
  threads = threads < 64 ? 64 : (threads > 1024 ? 1024 : threads);
  kth_smallest_kernel<<<rows, threads, 0, stream>>>(data, n, k, out);
}

}  // namespace kth
