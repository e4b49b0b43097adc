// Quantise keys to int8 and write them into the paged cache in [D/x][block][x] order.  nvcc -arch=sm_80
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace cache {

constexpr int kWarps = 4;
constexpr int kX = 16;  // int8 elements per 16-byte pack

struct ReshapeParams {
  const __nv_bfloat16 *key;     // [tokens, key_stride]
  int8_t *key_cache;            // [blocks, heads, D / kX, block_size, kX]
  float *key_scale;             // [blocks, heads, block_size]
  const int64_t *slot_mapping;  // [tokens]
  int64_t key_stride;
  int heads;
  int block_size;
};

template <int D>
__global__ void __launch_bounds__(kWarps * 32) reshape_and_cache_int8(const ReshapeParams p) {
  __shared__ __align__(16) int8_t s_row[kWarps][D];

  const int64_t token = blockIdx.x;
  const int64_t slot = p.slot_mapping[token];
  if (slot < 0) return;
  const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  const int64_t block_idx = slot / p.block_size;
  const int block_off = static_cast<int>(slot % p.block_size);
  int8_t *row = s_row[warp];

  for (int head = warp; head < p.heads; head += kWarps) {
    const __nv_bfloat16 *src = p.key + token * p.key_stride + static_cast<int64_t>(head) * D;

    float v[D / 32];
    float amax = 0.f;
#pragma unroll
    for (int i = 0; i < D / 32; ++i) {
      v[i] = __bfloat162float(src[i * 32 + lane]);
      amax = fmaxf(amax, fabsf(v[i]));
    }
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) amax = fmaxf(amax, __shfl_xor_sync(0xffffffffu, amax, o));
    const float scale = fmaxf(amax, 1e-6f) / 127.f;

#pragma unroll
    for (int i = 0; i < D / 32; ++i)
      row[i * 32 + lane] = static_cast<int8_t>(max(-127, min(127, __float2int_rn(v[i] / scale))));

    const int64_t bh = block_idx * p.heads + head;
    if (lane < D / kX) {
      const uint4 pack = *reinterpret_cast<const uint4 *>(row + lane * kX);
      int8_t *dst = p.key_cache + ((bh * (D / kX) + lane) * p.block_size + block_off) * kX;
      *reinterpret_cast<uint4 *>(dst) = pack;
    }
    if (lane == 0) p.key_scale[bh * p.block_size + block_off] = scale;
    __syncwarp();
  }
}

}  // namespace cache

#define RESHAPE_CASE(D) \
  case D: cache::reshape_and_cache_int8<D><<<tokens, cache::kWarps * 32, 0, stream>>>(p); break

bool reshape_and_cache(const cache::ReshapeParams &p, int tokens, int head_dim, cudaStream_t stream) {
  if (tokens == 0) return true;
  switch (head_dim) {
    RESHAPE_CASE(64);
    RESHAPE_CASE(128);
    RESHAPE_CASE(256);
    default: return false;
  }
  return cudaGetLastError() == cudaSuccess;
}
