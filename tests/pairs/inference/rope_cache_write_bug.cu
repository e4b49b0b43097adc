// NeoX rotary embedding fused with the KV cache write.  nvcc -arch=sm_80
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace rope {

using bf16 = __nv_bfloat16;

struct RopeParams {
  bf16 *qk;                     // [tokens, num_heads + num_kv_heads, head_dim]
  const int64_t *positions;     // [tokens]
  const float *cos_sin;         // [max_pos, rot_dim]
  bf16 *key_cache;              // [slots, num_kv_heads, head_dim]
  const int64_t *slot_mapping;  // [tokens]
  int num_heads;
  int num_kv_heads;
  int head_dim;
  int rot_dim;
};

__device__ __forceinline__ float rotated(const float *head, const float *cs, int d, int half) {
  const int r = d < half ? d : d - half;
  const float c = cs[r];
  const float s = cs[half + r];
  const float x = head[d];
  const float y = d < half ? head[d + half] : head[d - half];
  return d < half ? x * c - y * s : x * c + y * s;
}

// blockDim.x == head_dim
__global__ void rope_and_cache(const RopeParams p) {
  extern __shared__ float s_mem[];
  float *s_cs = s_mem;
  float *s_head = s_mem + p.rot_dim;

  const int token = blockIdx.x;
  const int d = threadIdx.x;
  const int half = p.rot_dim / 2;
  const int total_heads = p.num_heads + p.num_kv_heads;

  for (int i = d; i < p.rot_dim; i += blockDim.x)
    s_cs[i] = p.cos_sin[p.positions[token] * p.rot_dim + i];

  const int64_t slot = p.slot_mapping[token];
  bf16 *row = p.qk + static_cast<int64_t>(token) * total_heads * p.head_dim;

  for (int h = 0; h < total_heads; ++h) {
    bf16 *head = row + static_cast<int64_t>(h) * p.head_dim;
    s_head[d] = __bfloat162float(head[d]);
    __syncthreads();

    if (d < p.rot_dim) s_head[d] = rotated(s_head, s_cs, d, half);
    const bf16 v = __float2bfloat16(s_head[d]);
    head[d] = v;
    if (h >= p.num_heads && slot >= 0) {
      const int kv = h - p.num_heads;
      p.key_cache[(slot * p.num_kv_heads + kv) * p.head_dim + d] = v;
    }
    __syncthreads();
  }
}

}  // namespace rope

// head_dim in {64, 80, 96, 128, 256}; rot_dim even and <= head_dim
void rotary_embedding_and_cache(const rope::RopeParams &p, int tokens, cudaStream_t stream) {
  if (tokens <= 0) return;
  const size_t smem = (p.rot_dim + p.head_dim) * sizeof(float);
  rope::rope_and_cache<<<tokens, p.head_dim, smem, stream>>>(p);
}
