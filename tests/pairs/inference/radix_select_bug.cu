// Top-k threshold by radix selection, one row per block.  nvcc -arch=sm_80
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

namespace topk {

constexpr int RADIX_BITS = 2;
constexpr int RADIX_SIZE = 1 << RADIX_BITS;
constexpr unsigned RADIX_MASK = RADIX_SIZE - 1;

template <typename T> struct TypeConfig;
template <> struct TypeConfig<float> {
  static constexpr int bits = 32;
  static __device__ __forceinline__ uint32_t convert(float v) {
    const uint32_t x = __float_as_uint(v);
    return x ^ ((x & 0x80000000u) ? 0xffffffffu : 0x80000000u);
  }
  static __device__ __forceinline__ float deconvert(uint32_t v) {
    return __uint_as_float(v ^ ((v & 0x80000000u) ? 0x80000000u : 0xffffffffu));
  }
};
template <> struct TypeConfig<__half> {
  static constexpr int bits = 16;
  static __device__ __forceinline__ uint32_t convert(__half v) {
    const uint32_t x = __half_as_ushort(v);
    return x ^ ((x & 0x8000u) ? 0xffffu : 0x8000u);
  }
  static __device__ __forceinline__ __half deconvert(uint32_t v) {
    return __ushort_as_half(static_cast<unsigned short>(v ^ ((v & 0x8000u) ? 0x8000u : 0xffffu)));
  }
};

template <typename T>
__device__ void countRadixUsingMask(int counts[RADIX_SIZE], int *smem, uint32_t desired, uint32_t desiredMask,
                                    int digitPos, int sliceSize, const T *data) {
#pragma unroll
  for (int i = 0; i < RADIX_SIZE; ++i) counts[i] = 0;
  if (threadIdx.x < RADIX_SIZE) smem[threadIdx.x] = 0;
  __syncthreads();

  const int padded = (sliceSize + 31) / 32 * 32;
  for (int i = threadIdx.x; i < padded; i += blockDim.x) {
    const bool inBounds = i < sliceSize;
    const uint32_t val = inBounds ? TypeConfig<T>::convert(data[i]) : 0;
    const bool hasVal = inBounds && ((val & desiredMask) == desired);
    const uint32_t digit = (val >> digitPos) & RADIX_MASK;
#pragma unroll
    for (uint32_t j = 0; j < RADIX_SIZE; ++j)
      counts[j] += __popc(__ballot_sync(0xffffffffu, hasVal && digit == j));
  }
  if ((threadIdx.x & 31) == 0) {
#pragma unroll
    for (int i = 0; i < RADIX_SIZE; ++i) atomicAdd(&smem[i], counts[i]);
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < RADIX_SIZE; ++i) counts[i] = smem[i];
}

template <typename T>
__device__ T radixSelectLargest(const T *data, int k, int sliceSize, int *smem) {
  uint32_t desired = 0, desiredMask = 0;
  int kToFind = k;
  for (int pos = TypeConfig<T>::bits - RADIX_BITS; pos >= 0; pos -= RADIX_BITS) {
    int counts[RADIX_SIZE];
    countRadixUsingMask<T>(counts, smem, desired, desiredMask, pos, sliceSize, data);
    bool found = false;
#pragma unroll
    for (int i = RADIX_SIZE - 1; i >= 0; --i) {
      if (!found) {
        if (counts[i] >= kToFind) {
          desired |= static_cast<uint32_t>(i) << pos;
          desiredMask |= RADIX_MASK << pos;
          found = true;
        } else {
          kToFind -= counts[i];
        }
      }
    }
  }
  return TypeConfig<T>::deconvert(desired);
}

template <typename T>
__global__ void mask_below_kth(const T *__restrict__ logits, float *__restrict__ out, const int *__restrict__ ks,
                               int vocab) {
  __shared__ int smem[RADIX_SIZE];
  const T *row = logits + static_cast<int64_t>(blockIdx.x) * vocab;
  float *dst = out + static_cast<int64_t>(blockIdx.x) * vocab;
  const int k = min(max(ks[blockIdx.x], 1), vocab);

  const T kth = radixSelectLargest<T>(row, k, vocab, smem);
  const uint32_t bound = TypeConfig<T>::convert(kth);
  for (int i = threadIdx.x; i < vocab; i += blockDim.x) {
    const bool keep = TypeConfig<T>::convert(row[i]) >= bound;
    dst[i] = keep ? static_cast<float>(row[i]) : -INFINITY;
  }
}

}  // namespace topk

template <typename T>
void apply_top_k(const T *logits, float *out, const int *ks, int rows, int vocab, cudaStream_t stream) {
  const int block = std::min(1024, (vocab + 31) / 32 * 32);
  topk::mask_below_kth<T><<<rows, block, 0, stream>>>(logits, out, ks, vocab);
}

template void apply_top_k<float>(const float *, float *, const int *, int, int, cudaStream_t);
template void apply_top_k<__half>(const __half *, float *, const int *, int, int, cudaStream_t);
