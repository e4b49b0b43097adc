// Per-row k-th largest logit by radix select; logits below it are set to -inf (top-k sampling).
#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <cstdint>

namespace sampling {

constexpr int kBlock = 256;
constexpr int kRadixBits = 8;
constexpr int kBins = 1 << kRadixBits;
static_assert(kBins == kBlock, "one bin for each thread");

// Order preserving map of floats to unsigned
__device__ __forceinline__ uint32_t encode(float f) {
  const uint32_t u = __float_as_uint(f);
  return (u & 0x80000000u) ? ~u : (u | 0x80000000u);
}

template <typename T> __device__ __forceinline__ float load(const T* p) { return static_cast<float>(*p); }

struct SelectState {
  int hist[kBins];
  int warp_tot[kBlock / 32];
  int k;
  uint32_t prefix;
};

// out: number of keys in bins >= threadIdx.x
__device__ int suffix_sum(SelectState& s) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  int v = s.hist[threadIdx.x];
#pragma unroll
  for (int o = 1; o < 32; o <<= 1) {
    const int t = __shfl_down_sync(0xffffffffu, v, o);
    if (lane + o < 32) v += t;
  }
  if (lane == 0) s.warp_tot[warp] = v;
  __syncthreads();
  for (int w = warp + 1; w < kBlock / 32; ++w) v += s.warp_tot[w];
  return v;
}

template <typename T>
__global__ void __launch_bounds__(kBlock) topk_mask(const T* __restrict__ logits, float* __restrict__ out,
                                                    const int* __restrict__ ks, int vocab) {
  __shared__ SelectState s;
  const T* row = logits + (size_t)blockIdx.x * vocab;
  float* dst = out + (size_t)blockIdx.x * vocab;
  const int tid = threadIdx.x;

  int k = ks[blockIdx.x];
  if (k <= 0 || k >= vocab) {
    // no restriction for this request
    for (int i = tid; i < vocab; i += kBlock) dst[i] = load(row + i);
    return;
  }

  if (tid == 0) {
    s.k = k;
    s.prefix = 0;
  }

  uint32_t fixed = 0;
  for (int shift = 32 - kRadixBits; shift >= 0; shift -= kRadixBits) {
    s.hist[tid] = 0;
    __syncthreads();
    const uint32_t prefix = s.prefix;
    for (int i = tid; i < vocab; i += kBlock) {
      const uint32_t key = encode(load(row + i));
      if ((key & fixed) == prefix) atomicAdd(&s.hist[(key >> shift) & (kBins - 1)], 1);
    }
    __syncthreads();

    const int own = s.hist[tid];
    const int ge = suffix_sum(s);
    const int gt = ge - own;
    const int want = s.k;
    if (gt < want && want <= ge) {
      s.k = want - gt;
      s.prefix = prefix | (uint32_t(tid) << shift);
    }
    fixed |= uint32_t(kBins - 1) << shift;
    __syncthreads();
  }

  const uint32_t kth = s.prefix;
  for (int i = tid; i < vocab; i += kBlock) {
    const float v = load(row + i);
    dst[i] = encode(v) >= kth ? v : -INFINITY;
  }
}

template <typename T>
void launch_topk_mask(const T* logits, float* out, const int* ks, int batch, int vocab, cudaStream_t st) {
  if (batch <= 0 || vocab <= 0) return;
  topk_mask<T><<<batch, kBlock, 0, st>>>(logits, out, ks, vocab);
}

template void launch_topk_mask<float>(const float*, float*, const int*, int, int, cudaStream_t);
template void launch_topk_mask<__nv_bfloat16>(const __nv_bfloat16*, float*, const int*, int, int, cudaStream_t);

}  // namespace sampling
