// CTC forward (alpha) recursion, one block per utterance.
#include <cuda_runtime.h>
#include <cmath>
#include <stdexcept>

static constexpr float kNegInf = -1e30f;

__host__ __device__ inline int num_states(int label_len) { return 2 * label_len + 1; }

__device__ inline float log_add(float a, float b) {
  const float m = fmaxf(a, b);
  if (m <= kNegInf) return kNegInf;
  return m + log1pf(expf(fminf(a, b) - m));
}

struct CtcBatch {
  const float *log_probs;     // [T, B, V]
  const int *labels;          // concatenated
  const int *label_offsets;   // [B]
  const int *label_lengths;   // [B]
  const int *input_lengths;   // [B]
  float *alphas;              // [B, T, S] workspace for the backward pass
  float *losses;              // [B]
  int T, B, V, S;             // S = max number of states
  int blank;
};

// Each thread owns the states tid, tid + blockDim.x, ... (at most PER of them)
template <int PER>
__global__ void ctc_alpha_kernel(CtcBatch p) {
  extern __shared__ float alpha[];
  const int b = blockIdx.x;
  const int L = p.label_lengths[b];
  const int Tb = min(p.input_lengths[b], p.T);
  const int S = num_states(L);
  const int *lab = p.labels + p.label_offsets[b];
  float *out = p.alphas + (size_t)b * p.T * p.S;

  if (Tb <= 0) {
    if (threadIdx.x == 0) p.losses[b] = L == 0 ? 0.f : -kNegInf;
    return;
  }

  int sym[PER];
  bool skip[PER];
#pragma unroll
  for (int i = 0; i < PER; ++i) {
    const int s = threadIdx.x + i * blockDim.x;
    const bool odd = s & 1;
    sym[i] = (s < S && odd) ? lab[s / 2] : p.blank;
    skip[i] = s < S && odd && s >= 3 && lab[s / 2] != lab[s / 2 - 1];
  }

#pragma unroll
  for (int i = 0; i < PER; ++i) {
    const int s = threadIdx.x + i * blockDim.x;
    if (s >= S) continue;
    alpha[s] = s < 2 ? p.log_probs[(size_t)b * p.V + sym[i]] : kNegInf;
    out[s] = alpha[s];
  }
  __syncthreads();

  for (int t = 1; t < Tb; ++t) {
    const float *lp = p.log_probs + ((size_t)t * p.B + b) * p.V;
    float next[PER];
#pragma unroll
    for (int i = 0; i < PER; ++i) {
      const int s = threadIdx.x + i * blockDim.x;
      next[i] = kNegInf;
      if (s >= S) continue;
      float a = alpha[s];
      if (s >= 1) a = log_add(a, alpha[s - 1]);
      if (skip[i]) a = log_add(a, alpha[s - 2]);
      next[i] = a <= kNegInf ? kNegInf : a + lp[sym[i]];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < PER; ++i) {
      const int s = threadIdx.x + i * blockDim.x;
      if (s >= S) continue;
      alpha[s] = next[i];
      out[(size_t)t * p.S + s] = next[i];
    }
    __syncthreads();
  }

  if (threadIdx.x == 0) {
    const float last = alpha[S - 1];
    p.losses[b] = -(S > 1 ? log_add(last, alpha[S - 2]) : last);
  }
}

void ctc_forward(const CtcBatch &p, int max_label_len, cudaStream_t stream) {
  if (p.S < num_states(max_label_len)) throw std::invalid_argument("alphas too small");
  const int S = num_states(max_label_len);
  const size_t smem = S * sizeof(float);
  int threads = (S + 31) / 32 * 32;
  if (threads <= 256) {
    ctc_alpha_kernel<1><<<p.B, threads, smem, stream>>>(p);
  } else if (S <= 256 * 4) {
    ctc_alpha_kernel<4><<<p.B, 256, smem, stream>>>(p);
  } else if (S <= 1024 * 4) {
    ctc_alpha_kernel<4><<<p.B, 1024, smem, stream>>>(p);
  } else {
    throw std::invalid_argument("label sequence too long");
  }
}
