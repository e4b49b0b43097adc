// Speculative decoding: rejection sampling of draft tokens, one sequence per block.  nvcc -arch=sm_80
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cfloat>
#include <cstdint>

namespace spec {

constexpr int kThreads = 256;

struct VerifyParams {
  const float *target_probs;   // [total_draft + batch, vocab], row = cu_draft[b] + b + pos
  const float *draft_probs;    // [total_draft, vocab]
  const int *draft_tokens;     // [total_draft]
  const int *cu_draft;         // [batch + 1]
  const float *uniform;        // [total_draft]
  const float *exp_noise;      // [batch, vocab], Exp(1)
  int *out_tokens;             // [batch, max_draft + 1], prefilled with -1
  int *num_accepted;           // [batch]
  int vocab;
  int max_draft;
};

struct ArgMax {
  float v;
  int i;
};

__device__ __forceinline__ ArgMax pick(ArgMax a, ArgMax b) {
  return (b.v > a.v || (b.v == a.v && b.i < a.i)) ? b : a;
}

__device__ int block_argmax(ArgMax a) {
  __shared__ float s_v[kThreads / 32];
  __shared__ int s_i[kThreads / 32];
  __shared__ int s_result;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  auto warp_pick = [](ArgMax x) {
#pragma unroll
    for (int o = 16; o > 0; o >>= 1)
      x = pick(x, ArgMax{__shfl_down_sync(0xffffffffu, x.v, o), __shfl_down_sync(0xffffffffu, x.i, o)});
    return x;
  };
  a = warp_pick(a);
  if (lane == 0) {
    s_v[warp] = a.v;
    s_i[warp] = a.i;
  }
  __syncthreads();
  if (warp == 0) {
    a = lane < kThreads / 32 ? ArgMax{s_v[lane], s_i[lane]} : ArgMax{-FLT_MAX, 0x7fffffff};
    a = warp_pick(a);
    if (lane == 0) s_result = a.i;
  }
  __syncthreads();
  return s_result;
}

template <bool kGreedyDraft>
__global__ void __launch_bounds__(kThreads) rejection_sample(const VerifyParams p) {
  __shared__ bool s_accept;

  const int b = blockIdx.x;
  const int d0 = p.cu_draft[b], n = p.cu_draft[b + 1] - d0;
  const float *target = p.target_probs + static_cast<int64_t>(d0 + b) * p.vocab;
  const float *draft = kGreedyDraft ? nullptr : p.draft_probs + static_cast<int64_t>(d0) * p.vocab;
  int *out = p.out_tokens + static_cast<int64_t>(b) * (p.max_draft + 1);

  int pos = 0;
  for (; pos < n; ++pos) {
    const int tok = p.draft_tokens[d0 + pos];
    if (threadIdx.x == 0) {
      const float pt = target[static_cast<int64_t>(pos) * p.vocab + tok];
      const float pd = kGreedyDraft ? 1.f : draft[static_cast<int64_t>(pos) * p.vocab + tok];
      const bool ok = pd > 0.f && p.uniform[d0 + pos] * pd <= pt;
      if (ok) out[pos] = tok;
      s_accept = ok;
    }
    __syncthreads();
    if (!s_accept) break;
  }

  // recovered token on rejection, bonus token otherwise
  const bool rejected = pos < n;
  const float *pt = target + static_cast<int64_t>(pos) * p.vocab;
  const int reject_tok = rejected ? p.draft_tokens[d0 + pos] : -1;
  const float *noise = p.exp_noise + static_cast<int64_t>(b) * p.vocab;
  ArgMax best{-FLT_MAX, 0x7fffffff};
  for (int v = threadIdx.x; v < p.vocab; v += kThreads) {
    float w = pt[v];
    if (rejected) {
      if (kGreedyDraft)
        w = v == reject_tok ? 0.f : w;
      else
        w = fmaxf(w - draft[static_cast<int64_t>(pos) * p.vocab + v], 0.f);
    }
    best = pick(best, ArgMax{w / noise[v], v});
  }
  const int token = block_argmax(best);
  if (threadIdx.x == 0) {
    out[pos] = token;
    p.num_accepted[b] = pos;
  }
}

}  // namespace spec

void verify_draft(const spec::VerifyParams &p, int batch, cudaStream_t stream) {
  if (batch == 0) return;
  if (p.draft_probs == nullptr)
    spec::rejection_sample<true><<<batch, spec::kThreads, 0, stream>>>(p);
  else
    spec::rejection_sample<false><<<batch, spec::kThreads, 0, stream>>>(p);
}
