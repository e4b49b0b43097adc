// Single-query attention over a paged KV cache.  nvcc -arch=sm_80
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cfloat>
#include <cstdint>

#define WARP_SIZE 32

namespace paged {

struct DecodeParams {
  __half *out;               // [num_seqs, num_heads, HEAD]
  const __half *q;           // [num_seqs, num_heads, HEAD]
  const __half *k_cache;     // [num_blocks, num_kv_heads, BLOCK, HEAD]
  const __half *v_cache;     // [num_blocks, num_kv_heads, BLOCK, HEAD]
  const int *block_tables;   // [num_seqs, max_blocks]
  const int *seq_lens;       // [num_seqs]
  float scale;
  int num_kv_heads;
  int max_blocks;
};

template <int NUM_WARPS>
__device__ __forceinline__ float block_sum(float *red_smem, float sum) {
  const int warp = threadIdx.x / WARP_SIZE;
  const int lane = threadIdx.x % WARP_SIZE;
#pragma unroll
  for (int mask = WARP_SIZE / 2; mask >= 1; mask /= 2) sum += __shfl_xor_sync(uint32_t(-1), sum, mask);
  if (lane == 0) red_smem[warp] = sum;
  __syncthreads();
  if (lane < NUM_WARPS) sum = red_smem[lane];
#pragma unroll
  for (int mask = NUM_WARPS / 2; mask >= 1; mask /= 2) sum += __shfl_xor_sync(uint32_t(-1), sum, mask);
  return __shfl_sync(uint32_t(-1), sum, 0);
}

template <int HEAD, int BLOCK, int NUM_THREADS>
__global__ void paged_attention_decode(const DecodeParams p) {
  constexpr int NUM_WARPS = NUM_THREADS / WARP_SIZE;
  constexpr int DIMS_PER_LANE = HEAD / WARP_SIZE;
  const int head = blockIdx.x, seq = blockIdx.y;
  const int warp = threadIdx.x / WARP_SIZE, lane = threadIdx.x % WARP_SIZE;
  const int kv_head = head / (gridDim.x / p.num_kv_heads);
  const int seq_len = p.seq_lens[seq];
  const int64_t qo_off = (static_cast<int64_t>(seq) * gridDim.x + head) * HEAD;
  if (seq_len == 0) {
    for (int i = threadIdx.x; i < HEAD; i += NUM_THREADS) p.out[qo_off + i] = __float2half(0.f);
    return;
  }
  const int num_blocks = (seq_len + BLOCK - 1) / BLOCK;
  const int *table = p.block_tables + static_cast<int64_t>(seq) * p.max_blocks;

  extern __shared__ char shared_mem[];
  float *logits = reinterpret_cast<float *>(shared_mem);
  __shared__ float red_smem[2 * NUM_WARPS];

  float qv[DIMS_PER_LANE];
#pragma unroll
  for (int d = 0; d < DIMS_PER_LANE; ++d) qv[d] = __half2float(p.q[qo_off + d * WARP_SIZE + lane]) * p.scale;

  float qk_max = -FLT_MAX;
  for (int b = warp; b < num_blocks; b += NUM_WARPS) {
    const __half *kb = p.k_cache + (static_cast<int64_t>(table[b]) * p.num_kv_heads + kv_head) * BLOCK * HEAD;
    const int n = min(BLOCK, seq_len - b * BLOCK);
    for (int t = 0; t < n; ++t) {
      float s = 0.f;
#pragma unroll
      for (int d = 0; d < DIMS_PER_LANE; ++d) s += qv[d] * __half2float(kb[t * HEAD + d * WARP_SIZE + lane]);
#pragma unroll
      for (int mask = WARP_SIZE / 2; mask >= 1; mask /= 2) s += __shfl_xor_sync(uint32_t(-1), s, mask);
      if (lane == 0) logits[b * BLOCK + t] = s;
      qk_max = fmaxf(qk_max, s);
    }
  }
  if (lane == 0) red_smem[warp] = qk_max;
  __syncthreads();
  qk_max = lane < NUM_WARPS ? red_smem[lane] : -FLT_MAX;
#pragma unroll
  for (int mask = WARP_SIZE / 2; mask >= 1; mask /= 2)
    qk_max = fmaxf(qk_max, __shfl_xor_sync(uint32_t(-1), qk_max, mask));

  float exp_sum = 0.f;
  for (int i = threadIdx.x; i < seq_len; i += NUM_THREADS) {
    const float v = __expf(logits[i] - qk_max);
    logits[i] = v;
    exp_sum += v;
  }
  exp_sum = block_sum<NUM_WARPS>(&red_smem[NUM_WARPS], exp_sum);
  const float inv_sum = __fdividef(1.f, exp_sum + 1e-6f);

  float acc[DIMS_PER_LANE];
#pragma unroll
  for (int d = 0; d < DIMS_PER_LANE; ++d) acc[d] = 0.f;
  for (int b = warp; b < num_blocks; b += NUM_WARPS) {
    const __half *vb = p.v_cache + (static_cast<int64_t>(table[b]) * p.num_kv_heads + kv_head) * BLOCK * HEAD;
    const int n = min(BLOCK, seq_len - b * BLOCK);
    for (int t = 0; t < n; ++t) {
      const float w = logits[b * BLOCK + t];
#pragma unroll
      for (int d = 0; d < DIMS_PER_LANE; ++d) acc[d] += w * __half2float(vb[t * HEAD + d * WARP_SIZE + lane]);
    }
  }

  float *out_smem = reinterpret_cast<float *>(shared_mem);
#pragma unroll
  for (int i = NUM_WARPS; i > 1; i /= 2) {
    const int mid = i / 2;
    if (warp >= mid && warp < i) {
      float *dst = &out_smem[(warp - mid) * HEAD];
#pragma unroll
      for (int d = 0; d < DIMS_PER_LANE; ++d) dst[d * WARP_SIZE + lane] = acc[d];
    }
    __syncthreads();
    if (warp < mid) {
      const float *src = &out_smem[warp * HEAD];
#pragma unroll
      for (int d = 0; d < DIMS_PER_LANE; ++d) acc[d] += src[d * WARP_SIZE + lane];
    }
    __syncthreads();
  }
  if (warp == 0) {
#pragma unroll
    for (int d = 0; d < DIMS_PER_LANE; ++d)
      p.out[qo_off + d * WARP_SIZE + lane] = __float2half(acc[d] * inv_sum);
  }
}

}  // namespace paged

#define LAUNCH_DECODE(HEAD)                                                                           \
  case HEAD: {                                                                                        \
    const int out_bytes = (kThreads / WARP_SIZE / 2) * HEAD * sizeof(float);                          \
    const int smem = std::max(max_seq_len * static_cast<int>(sizeof(float)), out_bytes);              \
    cudaFuncSetAttribute(paged::paged_attention_decode<HEAD, 16, kThreads>,                           \
                         cudaFuncAttributeMaxDynamicSharedMemorySize, smem);                          \
    paged::paged_attention_decode<HEAD, 16, kThreads>                                                 \
        <<<dim3(num_heads, num_seqs), kThreads, smem, stream>>>(p);                                   \
    return true;                                                                                      \
  }

bool paged_attention(const paged::DecodeParams &p, int num_seqs, int num_heads, int head_size,
                     int max_seq_len, cudaStream_t stream) {
  constexpr int kThreads = 128;
  switch (head_size) {
    LAUNCH_DECODE(64)
    LAUNCH_DECODE(96)
    LAUNCH_DECODE(128)
    LAUNCH_DECODE(256)
    default: return false;
  }
}
