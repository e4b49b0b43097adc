// Flash-style attention forward with key padding mask, one query row per thread.  nvcc -arch=sm_80
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace fattn {

constexpr int kThreads = 64;
constexpr int kBlockN = 64;

struct FwdParams {
  __half *o;
  const __half *q, *k, *v;   // [batch, heads, len, D]
  const uint8_t *key_mask;   // [batch, kv_len]
  float *lse;                // [batch, heads, q_len]
  int heads, q_len, kv_len;
  float scale;
};

template <int D>
__device__ __forceinline__ void load_tile(__half (*dst)[D], const __half *src, int row0, int rows_left) {
  constexpr int kVec = 8;
  for (int i = threadIdx.x; i < kBlockN * D / kVec; i += kThreads) {
    const int r = i / (D / kVec), c = (i % (D / kVec)) * kVec;
    uint4 val = make_uint4(0, 0, 0, 0);
    if (r < rows_left) val = *reinterpret_cast<const uint4 *>(src + static_cast<int64_t>(row0 + r) * D + c);
    *reinterpret_cast<uint4 *>(&dst[r][c]) = val;
  }
}

template <int D>
__global__ void __launch_bounds__(kThreads) flash_fwd(const FwdParams p) {
  __shared__ __align__(16) __half s_k[kBlockN][D];
  __shared__ __align__(16) __half s_v[kBlockN][D];
  __shared__ uint8_t s_mask[kBlockN];

  const int head = blockIdx.y, batch = blockIdx.z;
  const int64_t bh = static_cast<int64_t>(batch) * p.heads + head;
  const __half *kp = p.k + bh * p.kv_len * D;
  const __half *vp = p.v + bh * p.kv_len * D;
  const int row = blockIdx.x * kThreads + threadIdx.x;
  const bool row_ok = row < p.q_len;

  float q[D], acc[D];
#pragma unroll
  for (int d = 0; d < D; ++d) {
    q[d] = row_ok ? __half2float(p.q[(bh * p.q_len + row) * D + d]) * p.scale : 0.f;
    acc[d] = 0.f;
  }
  float m = -INFINITY, l = 0.f;

  for (int col0 = 0; col0 < p.kv_len; col0 += kBlockN) {
    const int n = min(kBlockN, p.kv_len - col0);
    const int c = threadIdx.x;
    const uint8_t keep = c < n ? p.key_mask[static_cast<int64_t>(batch) * p.kv_len + col0 + c] : 0;
    if (!__syncthreads_or(keep)) continue;
    s_mask[c] = keep;
    load_tile<D>(s_k, kp, col0, n);
    load_tile<D>(s_v, vp, col0, n);
    __syncthreads();

    for (int j = 0; j < n; ++j) {
      if (!s_mask[j]) continue;
      float s = 0.f;
#pragma unroll
      for (int d = 0; d < D; ++d) s += q[d] * __half2float(s_k[j][d]);
      const float m_new = fmaxf(m, s);
      const float corr = __expf(m - m_new);
      const float w = __expf(s - m_new);
      l = l * corr + w;
#pragma unroll
      for (int d = 0; d < D; ++d) acc[d] = acc[d] * corr + w * __half2float(s_v[j][d]);
      m = m_new;
    }
    __syncthreads();
  }

  if (row_ok) {
    const float inv = l > 0.f ? 1.f / l : 0.f;
#pragma unroll
    for (int d = 0; d < D; ++d) p.o[(bh * p.q_len + row) * D + d] = __float2half(acc[d] * inv);
    p.lse[bh * p.q_len + row] = l > 0.f ? m + __logf(l) : -INFINITY;
  }
}

}  // namespace fattn

void flash_attention_forward(const fattn::FwdParams &p, int batch, int head_dim, cudaStream_t stream) {
  const dim3 grid((p.q_len + fattn::kThreads - 1) / fattn::kThreads, p.heads, batch);
  switch (head_dim) {
    case 32: fattn::flash_fwd<32><<<grid, fattn::kThreads, 0, stream>>>(p); break;
    case 64: fattn::flash_fwd<64><<<grid, fattn::kThreads, 0, stream>>>(p); break;
    default: break;
  }
}
