// Rotary embedding of the keys (NeoX pairs), int8 quantisation per head and write to a paged cache.
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cstdint>

namespace kv {

constexpr int TOKENS = 4;

struct Params {
  const __half *k;          // [num_tokens, num_heads, D]
  const float *cos_sin;     // [max_pos, D]  (cos half, sin half)
  const int64_t *positions; // [num_tokens]
  const int64_t *slots;     // [num_tokens], -1 for padding
  int8_t *cache;            // [num_blocks, num_heads, block_size, D]
  float *scales;            // [num_blocks, num_heads, block_size]
  int num_tokens, num_heads, block_size;
};

template <int D>
struct Smem {
  __half rot[TOKENS][D];
  float amax[TOKENS][D / 32];
};

template <int D>
__device__ __forceinline__ float rotate(const Params &p, const __half *head, int64_t pos, int d) {
  constexpr int H = D / 2;
  const float *cs = p.cos_sin + pos * D;
  const int i = d % H;
  const float a = __half2float(head[i]), b = __half2float(head[i + H]);
  const float c = cs[i], s = cs[i + H];
  return d < H ? a * c - b * s : b * c + a * s;
}

// blockDim = (D, TOKENS); grid = (token groups, heads)
template <int D>
__global__ void __launch_bounds__(D *TOKENS) rope_quant_store(Params p) {
  __shared__ Smem<D> sm;
  const int d = threadIdx.x, ty = threadIdx.y;
  const int head = blockIdx.y;

  for (int t0 = blockIdx.x * TOKENS; t0 < p.num_tokens; t0 += gridDim.x * TOKENS) {
    const int t = t0 + ty;
    const int64_t slot = t < p.num_tokens ? p.slots[t] : -1;

    float v = 0.f;
    if (slot >= 0)
      v = rotate<D>(p, p.k + ((size_t)t * p.num_heads + head) * D, p.positions[t], d);
    sm.rot[ty][d] = __float2half(v);

    float m = fabsf(v);
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
    if (d % 32 == 0) sm.amax[ty][d / 32] = m;
    __syncthreads();

    float amax = 0.f;
#pragma unroll
    for (int w = 0; w < D / 32; ++w) amax = fmaxf(amax, sm.amax[ty][w]);
    const float scale = amax > 0.f ? amax / 127.f : 1.f;

    if (slot >= 0) {
      const int64_t blk = slot / p.block_size, in = slot % p.block_size;
      const int64_t line = (blk * p.num_heads + head) * p.block_size + in;
      if (d < D / 4) {
        char4 q;
        q.x = (signed char)rintf(__half2float(sm.rot[ty][4 * d + 0]) / scale);
        q.y = (signed char)rintf(__half2float(sm.rot[ty][4 * d + 1]) / scale);
        q.z = (signed char)rintf(__half2float(sm.rot[ty][4 * d + 2]) / scale);
        q.w = (signed char)rintf(__half2float(sm.rot[ty][4 * d + 3]) / scale);
        reinterpret_cast<char4 *>(p.cache + line * D)[d] = q;
      }
      if (d == 0) p.scales[line] = scale;
    }
    __syncthreads();
  }
}

int store_keys(const Params &p, int head_dim, int max_grid, cudaStream_t stream) {
  if (p.num_tokens <= 0) return 0;
  if (p.block_size <= 0 || max_grid <= 0) return -1;
  int gx = (p.num_tokens + TOKENS - 1) / TOKENS;
  if (gx > max_grid) gx = max_grid;
  dim3 grid(gx, p.num_heads);
  switch (head_dim) {
    case 64: rope_quant_store<64><<<grid, dim3(64, TOKENS), 0, stream>>>(p); break;
    case 128: rope_quant_store<128><<<grid, dim3(128, TOKENS), 0, stream>>>(p); break;
    case 256: rope_quant_store<256><<<grid, dim3(256, TOKENS), 0, stream>>>(p); break;
    default: return -1;
  }
  return cudaGetLastError() == cudaSuccess ? 0 : -2;
}

}  // namespace kv

void rope_and_cache_keys(torch::Tensor key, torch::Tensor cos_sin, torch::Tensor positions,
                         torch::Tensor slots, torch::Tensor cache, torch::Tensor scales) {
  TORCH_CHECK(key.dim() == 3 && key.is_contiguous(), "key must be [tokens, heads, dim]");
  TORCH_CHECK(key.scalar_type() == torch::kHalf, "key must be half");
  kv::Params p;
  p.k = static_cast<const __half *>(key.data_ptr());
  p.cos_sin = cos_sin.data_ptr<float>();
  p.positions = positions.data_ptr<int64_t>();
  p.slots = slots.data_ptr<int64_t>();
  p.cache = static_cast<int8_t *>(cache.data_ptr());
  p.scales = scales.data_ptr<float>();
  p.num_tokens = key.size(0);
  p.num_heads = key.size(1);
  p.block_size = cache.size(2);
  const int sms = at::cuda::getCurrentDeviceProperties()->multiProcessorCount;
  const int rc = kv::store_keys(p, key.size(2), 2 * sms, at::cuda::getCurrentCUDAStream());
  TORCH_CHECK(rc == 0, "rope_and_cache_keys failed: ", rc);
}
