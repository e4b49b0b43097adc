// Attention backward, one key/value tile per block, loop over query tiles.  nvcc -arch=sm_80
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace {

constexpr int kThreads = 128;
constexpr int kM = 32;
constexpr int kN = 32;

struct BwdParams {
  const __half *q, *k, *v, *dout;  // [bh, len, D]
  const float *lse, *delta;        // [bh, q_len]
  float *dq;                       // [bh, q_len, D], zero-initialised
  __half *dk, *dv;
  int q_len, kv_len;
  float scale;
  bool causal;
};

template <int D>
struct Smem {
  float q[kM][D + 1];
  float dout[kM][D + 1];
  float k[kN][D + 1];
  float v[kN][D + 1];
  float p[kM][kN + 1];
  float lse[kM];
  float delta[kM];
};

template <int D>
__device__ __forceinline__ void stage(float (*dst)[D + 1], const __half *src, int row0, int limit, int rows) {
  for (int i = threadIdx.x; i < rows * D; i += kThreads) {
    const int r = i / D, c = i % D;
    dst[r][c] = row0 + r < limit ? __half2float(src[static_cast<int64_t>(row0 + r) * D + c]) : 0.f;
  }
}

template <int D>
__device__ __forceinline__ float row_dot(const float *a, const float *b) {
  float s = 0.f;
#pragma unroll
  for (int d = 0; d < D; ++d) s += a[d] * b[d];
  return s;
}

template <int D>
__global__ void __launch_bounds__(kThreads) attn_bwd(const BwdParams prm) {
  extern __shared__ char raw[];
  Smem<D> &s = *reinterpret_cast<Smem<D> *>(raw);
  constexpr int kPer = kM * kN / kThreads;
  constexpr int kAcc = kN * D / kThreads;

  const int64_t bh = blockIdx.y;
  const int col0 = blockIdx.x * kN;
  const __half *q = prm.q + bh * prm.q_len * D;
  const __half *dout = prm.dout + bh * prm.q_len * D;

  stage<D>(s.k, prm.k + bh * prm.kv_len * D, col0, prm.kv_len, kN);
  stage<D>(s.v, prm.v + bh * prm.kv_len * D, col0, prm.kv_len, kN);

  float acc_dv[kAcc] = {}, acc_dk[kAcc] = {};
  const int first = prm.causal ? (col0 / kM) * kM : 0;

  for (int row0 = first; row0 < prm.q_len; row0 += kM) {
    stage<D>(s.q, q, row0, prm.q_len, kM);
    stage<D>(s.dout, dout, row0, prm.q_len, kM);
    for (int r = threadIdx.x; r < kM; r += kThreads) {
      const bool ok = row0 + r < prm.q_len;
      s.lse[r] = ok ? prm.lse[bh * prm.q_len + row0 + r] : 0.f;
      s.delta[r] = ok ? prm.delta[bh * prm.q_len + row0 + r] : 0.f;
    }
    __syncthreads();

    float p_reg[kPer];
#pragma unroll
    for (int e = 0; e < kPer; ++e) {
      const int idx = threadIdx.x + e * kThreads;
      const int r = idx / kN, c = idx % kN;
      const bool ok = row0 + r < prm.q_len && col0 + c < prm.kv_len && (!prm.causal || col0 + c <= row0 + r);
      p_reg[e] = ok ? __expf(row_dot<D>(s.q[r], s.k[c]) * prm.scale - s.lse[r]) : 0.f;
      s.p[r][c] = p_reg[e];
    }
    __syncthreads();

#pragma unroll
    for (int a = 0; a < kAcc; ++a) {
      const int idx = threadIdx.x + a * kThreads;
      const int c = idx / D, d = idx % D;
      for (int r = 0; r < kM; ++r) acc_dv[a] += s.p[r][c] * s.dout[r][d];
    }

#pragma unroll
    for (int e = 0; e < kPer; ++e) {
      const int idx = threadIdx.x + e * kThreads;
      const int r = idx / kN, c = idx % kN;
      const float dp = row_dot<D>(s.dout[r], s.v[c]);
      s.p[r][c] = p_reg[e] * (dp - s.delta[r]) * prm.scale;
    }
    __syncthreads();

#pragma unroll
    for (int a = 0; a < kAcc; ++a) {
      const int idx = threadIdx.x + a * kThreads;
      const int c = idx / D, d = idx % D;
      for (int r = 0; r < kM; ++r) acc_dk[a] += s.p[r][c] * s.q[r][d];
    }
    for (int i = threadIdx.x; i < kM * D; i += kThreads) {
      const int r = i / D, d = i % D;
      if (row0 + r >= prm.q_len) continue;
      float g = 0.f;
      for (int c = 0; c < kN; ++c) g += s.p[r][c] * s.k[c][d];
      atomicAdd(&prm.dq[(bh * prm.q_len + row0 + r) * D + d], g);
    }
    __syncthreads();
  }

#pragma unroll
  for (int a = 0; a < kAcc; ++a) {
    const int idx = threadIdx.x + a * kThreads;
    const int c = idx / D, d = idx % D;
    if (col0 + c < prm.kv_len) {
      prm.dk[(bh * prm.kv_len + col0 + c) * D + d] = __float2half(acc_dk[a]);
      prm.dv[(bh * prm.kv_len + col0 + c) * D + d] = __float2half(acc_dv[a]);
    }
  }
}

template <int D>
void run_bwd(const BwdParams &p, int bh, cudaStream_t stream) {
  cudaFuncSetAttribute(attn_bwd<D>, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Smem<D>));
  attn_bwd<D><<<dim3((p.kv_len + kN - 1) / kN, bh), kThreads, sizeof(Smem<D>), stream>>>(p);
}

}  // namespace

void attention_backward(const __half *q, const __half *k, const __half *v, const __half *dout,
                        const float *lse, const float *delta, float *dq, __half *dk, __half *dv, int bh,
                        int q_len, int kv_len, int head_dim, float scale, bool causal, cudaStream_t stream) {
  BwdParams p{q, k, v, dout, lse, delta, dq, dk, dv, q_len, kv_len, scale, causal};
  if (head_dim == 64) run_bwd<64>(p, bh, stream);
  else if (head_dim == 32) run_bwd<32>(p, bh, stream);
}
