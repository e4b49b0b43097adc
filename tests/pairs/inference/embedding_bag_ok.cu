// DLRM-style pooled embeddings of several sparse fields and their pairwise interaction.  nvcc -arch=sm_80
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace embbag {

constexpr int kFields = 4;
constexpr int kDim = 64;
constexpr int kStage = 64;
constexpr int kPairs = kFields * (kFields - 1) / 2;

template <typename index_t>
struct BagArgs {
  const index_t *indices[kFields];
  const index_t *offsets[kFields];   // each [batch + 1]
  const __half *table[kFields];      // each [rows, kDim]
  const float *per_sample[kFields];  // may be null
  float *pooled;                     // [batch, kFields, kDim]
  float *interaction;                // [batch, kPairs]
  bool mean;
};

__device__ __forceinline__ float warp_sum(float v) {
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
  return v;
}

// blockDim = (kDim, kFields)
template <typename index_t>
__global__ void __launch_bounds__(kDim *kFields) pooled_interaction(const BagArgs<index_t> a) {
  __shared__ index_t s_idx[kFields][kStage];
  __shared__ float s_w[kFields][kStage];
  __shared__ float s_field[kFields][kDim];

  const int f = threadIdx.y, d = threadIdx.x;
  const int64_t sample = blockIdx.x;
  const index_t begin = a.offsets[f][sample];
  const int len = static_cast<int>(a.offsets[f][sample + 1] - begin);

  int trip_len = 0;
#pragma unroll
  for (int i = 0; i < kFields; ++i)
    trip_len = max(trip_len, static_cast<int>(a.offsets[i][sample + 1] - a.offsets[i][sample]));

  float acc = 0.f;
  for (int base = 0; base < trip_len; base += kStage) {
    if (base + d < len) {
      s_idx[f][d] = a.indices[f][begin + base + d];
      s_w[f][d] = a.per_sample[f] != nullptr ? a.per_sample[f][begin + base + d] : 1.f;
    }
    __syncthreads();
    const int n = min(kStage, len - base);
    for (int i = 0; i < n; ++i)
      acc += s_w[f][i] * __half2float(a.table[f][static_cast<int64_t>(s_idx[f][i]) * kDim + d]);
    __syncthreads();
  }
  if (a.mean && len > 0) acc /= len;

  s_field[f][d] = acc;
  a.pooled[(sample * kFields + f) * kDim + d] = acc;
  __syncthreads();

  const int warp = (f * kDim + d) / 32, lane = d % 32;
  constexpr int kWarps = kDim * kFields / 32;
  for (int pair = warp; pair < kPairs; pair += kWarps) {
    int i = 0, rest = pair;
    while (rest >= kFields - 1 - i) {
      rest -= kFields - 1 - i;
      ++i;
    }
    const int j = i + 1 + rest;
    float s = 0.f;
    for (int c = lane; c < kDim; c += 32) s += s_field[i][c] * s_field[j][c];
    s = warp_sum(s);
    if (lane == 0) a.interaction[sample * kPairs + pair] = s;
  }
}

}  // namespace embbag

void pooled_interaction_i32(const embbag::BagArgs<int32_t> &a, int batch, cudaStream_t s) {
  if (batch > 0) embbag::pooled_interaction<<<batch, dim3(embbag::kDim, embbag::kFields), 0, s>>>(a);
}
void pooled_interaction_i64(const embbag::BagArgs<int64_t> &a, int batch, cudaStream_t s) {
  if (batch > 0) embbag::pooled_interaction<<<batch, dim3(embbag::kDim, embbag::kFields), 0, s>>>(a);
}
