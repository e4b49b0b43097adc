#include "llm/common.cuh"

namespace llm {
namespace {

constexpr int kPartition = 512;
constexpr int kAttnThreads = 128;

struct PagedParams {
  const __half* q;        // [seqs, heads, head]
  const __half* k_cache;  // [blocks, heads, page, head]
  const __half* v_cache;
  const int* block_tables;
  const int* ctx_lens;
  __half* out;
  float* part_out;   // [seqs, heads, parts, head]
  float2* part_ms;   // [seqs, heads, parts]
  unsigned* done;    // [seqs, heads], zero between calls
  int heads, page, max_blocks, max_parts;
  float scale;
};

template <int HEAD>
__global__ void __launch_bounds__(kAttnThreads) paged_attention_kernel(const PagedParams p) {
  extern __shared__ __align__(16) unsigned char smem_raw[];
  float* logits = reinterpret_cast<float*>(smem_raw);
  float* acc = logits + kPartition;
  __shared__ bool s_last;
  const int head = blockIdx.x, seq = blockIdx.y, part = blockIdx.z;
  const int ctx = p.ctx_lens[seq];
  const int parts = (ctx + kPartition - 1) / kPartition;
  if (part >= parts) return;
  const int start = part * kPartition;
  const int len = min(kPartition, ctx - start);
  const int tid = threadIdx.x, lane = tid % kWarp, wid = tid / kWarp;
  const int* table = p.block_tables + seq * p.max_blocks;
  const int unit = seq * p.heads + head;

  constexpr int kPer = HEAD / kWarp;
  float q[kPer];
#pragma unroll
  for (int i = 0; i < kPer; ++i) q[i] = __half2float(p.q[unit * HEAD + i * kWarp + lane]) * p.scale;

  for (int t = wid; t < len; t += kAttnThreads / kWarp) {
    const int tok = start + t;
    const int64_t row = (static_cast<int64_t>(table[tok / p.page]) * p.heads + head) * p.page + tok % p.page;
    float dot = 0.f;
#pragma unroll
    for (int i = 0; i < kPer; ++i) dot += q[i] * __half2float(p.k_cache[row * HEAD + i * kWarp + lane]);
    dot = warp_reduce<SumOp>(dot);
    if (lane == 0) logits[t] = dot;
  }
  __syncthreads();

  float mx = MaxOp::kInit;
  for (int t = tid; t < len; t += kAttnThreads) mx = fmaxf(mx, logits[t]);
  mx = block_reduce<MaxOp, kAttnThreads>(mx);
  float sum = 0.f;
  for (int t = tid; t < len; t += kAttnThreads) {
    const float e = __expf(logits[t] - mx);
    logits[t] = e;
    sum += e;
  }
  sum = block_reduce<SumOp, kAttnThreads>(sum);

  constexpr int kGroups = kAttnThreads / HEAD;
  const int d = tid % HEAD, g = tid / HEAD;
  float o = 0.f;
  for (int t = g; t < len; t += kGroups) {
    const int tok = start + t;
    const int64_t row = (static_cast<int64_t>(table[tok / p.page]) * p.heads + head) * p.page + tok % p.page;
    o += logits[t] * __half2float(p.v_cache[row * HEAD + d]);
  }
  acc[g * HEAD + d] = o;
  __syncthreads();
  if (g == 0) {
    for (int k = 1; k < kGroups; ++k) o += acc[k * HEAD + d];
    p.part_out[(static_cast<int64_t>(unit) * p.max_parts + part) * HEAD + d] = o;
    if (d == 0) p.part_ms[unit * p.max_parts + part] = make_float2(mx, sum);
  }

  __threadfence();
  __syncthreads();
  if (tid == 0) s_last = atomicAdd(p.done + unit, 1u) == static_cast<unsigned>(parts - 1);
  __syncthreads();
  if (!s_last) return;

  if (g == 0) {
    float gm = MaxOp::kInit;
    for (int k = 0; k < parts; ++k) gm = fmaxf(gm, __ldcg(&p.part_ms[unit * p.max_parts + k]).x);
    float num = 0.f, den = 0.f;
    for (int k = 0; k < parts; ++k) {
      const float2 ms = __ldcg(&p.part_ms[unit * p.max_parts + k]);
      const float w = __expf(ms.x - gm);
      den += w * ms.y;
      num += w * __ldcg(&p.part_out[(static_cast<int64_t>(unit) * p.max_parts + k) * HEAD + d]);
    }
    p.out[unit * HEAD + d] = __float2half_rn(num / den);
  }
  if (tid == 0) p.done[unit] = 0;
}

// key/value: [tokens, heads, head]; one block per token
__global__ void reshape_and_cache_kernel(const __half* __restrict__ key, const __half* __restrict__ value,
                                         __half* __restrict__ k_cache, __half* __restrict__ v_cache,
                                         const int64_t* __restrict__ slots, int heads, int head_size, int page) {
  const int64_t slot = slots[blockIdx.x];
  if (slot < 0) return;
  const int n = heads * head_size;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    const int h = i / head_size, d = i % head_size;
    const int64_t dst = ((slot / page * heads + h) * page + slot % page) * head_size + d;
    k_cache[dst] = key[static_cast<int64_t>(blockIdx.x) * n + i];
    v_cache[dst] = value[static_cast<int64_t>(blockIdx.x) * n + i];
  }
}

}  // namespace

void paged_attention(const __half* q, const __half* k, const __half* v, const int* tables,
                     const int* ctx_lens, __half* out, float* part_out, float2* part_ms,
                     unsigned* done, int seqs, int heads, int head_size, int page, int max_ctx,
                     int max_blocks, float scale, cudaStream_t st) {
  const int max_parts = (max_ctx + kPartition - 1) / kPartition;
  PagedParams p{q, k, v, tables, ctx_lens, out, part_out, part_ms, done, heads, page, max_blocks, max_parts, scale};
  const size_t smem = (kPartition + kAttnThreads) * sizeof(float);
  dim3 grid(heads, seqs, max_parts);
  LLM_DISPATCH_HEAD(head_size, [&] { paged_attention_kernel<kHead><<<grid, kAttnThreads, smem, st>>>(p); });
  LLM_CHECK(cudaGetLastError());
}

void reshape_and_cache(const __half* key, const __half* value, __half* kc, __half* vc,
                       const int64_t* slots, int tokens, int heads, int head_size, int page,
                       cudaStream_t st) {
  const int threads = heads * head_size < 512 ? heads * head_size : 512;
  reshape_and_cache_kernel<<<tokens, threads, 0, st>>>(key, value, kc, vc, slots, heads, head_size, page);
  LLM_CHECK(cudaGetLastError());
}

}  // namespace llm
