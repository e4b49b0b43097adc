// Small flash-attention forward, one query row per thread, K/V tiles in shared memory.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cfloat>
#include <cmath>
#include <cstdio>

struct AttnParams {
  const __half *q, *k, *v;
  __half *o;
  float *lse;
  int batch, heads, seqlen;
  float scale;
};

template <int BR, int BC, int D>
struct FlashTile {
  static constexpr int kThreads = BR;
  static constexpr int kVec = D / 2;

  // copies [row0, row0+BC) x D, rows past the end become zero
  static __device__ void load(__half2 (*dst)[kVec], const __half *src, int row0, int n) {
    const __half2 *s = reinterpret_cast<const __half2 *>(src);
    for (int i = threadIdx.x; i < BC * kVec; i += kThreads) {
      const int r = i / kVec, c = i % kVec;
      dst[r][c] = row0 + r < n ? s[(size_t)(row0 + r) * kVec + c] : __float2half2_rn(0.f);
    }
  }
};

template <int BR, int BC, int D, bool CAUSAL>
__global__ void __launch_bounds__(BR) flash_fwd(AttnParams p) {
  using Tile = FlashTile<BR, BC, D>;
  __shared__ __half2 Ks[BC][D / 2];
  __shared__ __half2 Vs[BC][D / 2];

  const int bh = blockIdx.y;
  const int row = blockIdx.x * BR + threadIdx.x;
  const size_t base = (size_t)bh * p.seqlen * D;
  const bool live = row < p.seqlen;

  float q[D], acc[D];
#pragma unroll
  for (int d = 0; d < D; ++d) {
    q[d] = live ? __half2float(p.q[base + (size_t)row * D + d]) * p.scale : 0.f;
    acc[d] = 0.f;
  }
  float m = -FLT_MAX, l = 0.f;

  // the last row of the block decides how far the block looks
  int kend = p.seqlen;
  if (CAUSAL) kend = min(p.seqlen, (int)(blockIdx.x + 1) * BR);

  for (int k0 = 0; k0 < kend; k0 += BC) {
    Tile::load(Ks, p.k + base, k0, p.seqlen);
    Tile::load(Vs, p.v + base, k0, p.seqlen);
    __syncthreads();

    if (live && !(CAUSAL && k0 > row)) {
      float s[BC];
      float mt = m;
#pragma unroll
      for (int j = 0; j < BC; ++j) {
        float dot = 0.f;
#pragma unroll
        for (int d = 0; d < D / 2; ++d) {
          const float2 kk = __half22float2(Ks[j][d]);
          dot += q[2 * d] * kk.x + q[2 * d + 1] * kk.y;
        }
        const int key = k0 + j;
        const bool masked = key >= p.seqlen || (CAUSAL && key > row);
        s[j] = masked ? -FLT_MAX : dot;
        mt = fmaxf(mt, s[j]);
      }
      const float corr = __expf(m - mt);
      l *= corr;
#pragma unroll
      for (int d = 0; d < D; ++d) acc[d] *= corr;
      for (int j = 0; j < BC; ++j) {
        const float pj = s[j] == -FLT_MAX ? 0.f : __expf(s[j] - mt);
        l += pj;
#pragma unroll
        for (int d = 0; d < D / 2; ++d) {
          const float2 vv = __half22float2(Vs[j][d]);
          acc[2 * d] += pj * vv.x;
          acc[2 * d + 1] += pj * vv.y;
        }
      }
      m = mt;
    }
    __syncthreads();
  }

  if (live) {
    const float inv = l > 0.f ? 1.f / l : 0.f;
#pragma unroll
    for (int d = 0; d < D; ++d) p.o[base + (size_t)row * D + d] = __float2half(acc[d] * inv);
    p.lse[(size_t)bh * p.seqlen + row] = m + logf(l);
  }
}

template <int D>
static cudaError_t run(const AttnParams &p, bool causal, cudaStream_t s) {
  constexpr int BR = 64, BC = 32;
  dim3 grid((p.seqlen + BR - 1) / BR, p.batch * p.heads);
  if (causal)
    flash_fwd<BR, BC, D, true><<<grid, BR, 0, s>>>(p);
  else
    flash_fwd<BR, BC, D, false><<<grid, BR, 0, s>>>(p);
  return cudaGetLastError();
}

extern "C" cudaError_t flash_attention_forward(const void *q, const void *k, const void *v, void *o,
                                               float *lse, int batch, int heads, int seqlen,
                                               int head_dim, bool causal, cudaStream_t stream) {
  if (seqlen <= 0 || batch * heads <= 0 || batch * heads > 65535) return cudaErrorInvalidValue;
  AttnParams p{(const __half *)q, (const __half *)k, (const __half *)v, (__half *)o, lse,
               batch, heads, seqlen, 1.0f / sqrtf((float)head_dim)};
  switch (head_dim) {
    case 32: return run<32>(p, causal, stream);
    case 64: return run<64>(p, causal, stream);
    default: return cudaErrorInvalidValue;
  }
}
