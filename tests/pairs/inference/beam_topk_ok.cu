// Beam search: per-beam top 2*beam candidates of log-probs + cumulative score.  nvcc -arch=sm_80
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cfloat>
#include <cstdint>

namespace beam {

struct __align__(8) Cand {
  float v;
  int id;
};

__device__ __forceinline__ Cand better(Cand a, Cand b) {
  return (b.v > a.v || (b.v == a.v && static_cast<unsigned>(b.id) < static_cast<unsigned>(a.id))) ? b : a;
}

__device__ __forceinline__ Cand warp_best(Cand c) {
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) {
    Cand other;
    other.v = __shfl_xor_sync(0xffffffffu, c.v, o);
    other.id = __shfl_xor_sync(0xffffffffu, c.id, o);
    c = better(c, other);
  }
  return c;
}

struct BeamParams {
  const __half *logits;        // [batch * beams, vocab]
  const float *log_z;          // [batch * beams]
  const float *cum_log_probs;  // [batch * beams]
  const bool *finished;        // [batch * beams]
  float *cand_score;           // [batch * beams, 2 * beams]
  int *cand_token;             // [batch * beams, 2 * beams]
  int vocab;
  int vocab_padded;
  int end_id;
};

template <int kThreads, int kBeams>
__global__ void __launch_bounds__(kThreads) beam_candidates(const BeamParams p) {
  constexpr int kWarps = kThreads / 32;
  constexpr int kCand = 2 * kBeams;
  __shared__ Cand s_warp[kWarps];

  const int row = blockIdx.x;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  float *score = p.cand_score + static_cast<int64_t>(row) * kCand;
  int *token = p.cand_token + static_cast<int64_t>(row) * kCand;

  if (p.finished[row]) {
    if (threadIdx.x < kCand) {
      score[threadIdx.x] = threadIdx.x == 0 ? p.cum_log_probs[row] : -FLT_MAX;
      token[threadIdx.x] = p.end_id;
    }
    return;
  }

  const __half *logits = p.logits + static_cast<int64_t>(row) * p.vocab_padded;
  const float bias = p.cum_log_probs[row] - p.log_z[row];

  int taken[kCand];
#pragma unroll
  for (int j = 0; j < kCand; ++j) taken[j] = -1;

  for (int c = 0; c < kCand; ++c) {
    Cand best{-FLT_MAX, 0x7fffffff};
    for (int i = threadIdx.x; i < p.vocab; i += kThreads) {
      bool used = false;
#pragma unroll
      for (int j = 0; j < kCand; ++j) used |= taken[j] == i;
      if (!used) best = better(best, Cand{__half2float(logits[i]), i});
    }
    best = warp_best(best);
    if (lane == 0) s_warp[warp] = best;
    __syncthreads();

    // every warp folds the partial winners itself
    best = lane < kWarps ? s_warp[lane] : Cand{-FLT_MAX, 0x7fffffff};
    best = warp_best(best);
    __syncthreads();

#pragma unroll
    for (int j = 0; j < kCand; ++j)
      if (j == c) taken[j] = best.id;
    if (threadIdx.x == 0) {
      score[c] = best.v + bias;
      token[c] = best.id;
    }
  }
}

}  // namespace beam

void launch_beam_candidates(const beam::BeamParams &p, int batch, int beams, cudaStream_t stream) {
  constexpr int kThreads = 256;
  const int rows = batch * beams;
  switch (beams) {
    case 1: beam::beam_candidates<kThreads, 1><<<rows, kThreads, 0, stream>>>(p); break;
    case 2: beam::beam_candidates<kThreads, 2><<<rows, kThreads, 0, stream>>>(p); break;
    case 4: beam::beam_candidates<kThreads, 4><<<rows, kThreads, 0, stream>>>(p); break;
    case 8: beam::beam_candidates<kThreads, 8><<<rows, kThreads, 0, stream>>>(p); break;
    default: break;
  }
}
