// Block-sparse attention: loop over the non-zero key blocks of a CSR layout, two-stage tile buffer.  nvcc -arch=sm_80
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>

namespace bsa {

constexpr int kBlk = 32;      // rows/cols of one sparse block
constexpr int kThreads = 128;

struct SparseLayout {
  const int *row_ptr;  // [q_blocks + 1]
  const int *col_idx;  // [nnz], ascending inside a row
};

struct Params {
  const __half *q, *k, *v;  // [bh, len, D]
  __half *o;
  SparseLayout layout;
  int len;                  // multiple of kBlk
  float scale;
};

template <int D>
struct KvTile {
  __half k[kBlk][D + 2];
  __half v[kBlk][D + 2];
};

template <int D>
__device__ __forceinline__ void fetch(KvTile<D> &t, const __half *k, const __half *v, int col_block) {
  const int64_t base = static_cast<int64_t>(col_block) * kBlk * D;
  for (int i = threadIdx.x; i < kBlk * D / 2; i += kThreads) {
    const int r = (2 * i) / D, c = (2 * i) % D;
    *reinterpret_cast<__half2 *>(&t.k[r][c]) = *reinterpret_cast<const __half2 *>(k + base + 2 * i);
    *reinterpret_cast<__half2 *>(&t.v[r][c]) = *reinterpret_cast<const __half2 *>(v + base + 2 * i);
  }
}

// 4 threads per query row, each owns D / 4 of the features
template <int D>
__global__ void __launch_bounds__(kThreads) block_sparse_fwd(const Params p) {
  __shared__ __align__(16) KvTile<D> tiles[2];
  constexpr int kQuad = 4;
  constexpr int DV = D / kQuad;

  const int64_t bh_off = static_cast<int64_t>(blockIdx.y) * p.len * D;
  const __half *k = p.k + bh_off, *v = p.v + bh_off;
  const int row = blockIdx.x * kBlk + threadIdx.x / kQuad;
  const int part = threadIdx.x % kQuad;

  float q[DV], acc[DV];
#pragma unroll
  for (int d = 0; d < DV; ++d) {
    q[d] = __half2float(p.q[bh_off + static_cast<int64_t>(row) * D + part * DV + d]) * p.scale;
    acc[d] = 0.f;
  }
  float m = -INFINITY, l = 0.f;

  const int begin = p.layout.row_ptr[blockIdx.x], end = p.layout.row_ptr[blockIdx.x + 1];
  const auto stage_of = [&](int it) { return p.layout.col_idx[it] & 1; };

  if (begin < end) fetch<D>(tiles[stage_of(begin)], k, v, p.layout.col_idx[begin]);
  __syncthreads();

  for (int it = begin; it < end; ++it) {
    if (it + 1 < end) fetch<D>(tiles[stage_of(it + 1)], k, v, p.layout.col_idx[it + 1]);

    const KvTile<D> &t = tiles[stage_of(it)];
    for (int j = 0; j < kBlk; ++j) {
      float s = 0.f;
#pragma unroll
      for (int d = 0; d < DV; ++d) s += q[d] * __half2float(t.k[j][part * DV + d]);
      s += __shfl_xor_sync(0xffffffffu, s, 1);
      s += __shfl_xor_sync(0xffffffffu, s, 2);
      const float m_new = fmaxf(m, s);
      const float corr = __expf(m - m_new), w = __expf(s - m_new);
      l = l * corr + w;
#pragma unroll
      for (int d = 0; d < DV; ++d) acc[d] = acc[d] * corr + w * __half2float(t.v[j][part * DV + d]);
      m = m_new;
    }
    __syncthreads();
  }

  const float inv = l > 0.f ? 1.f / l : 0.f;
#pragma unroll
  for (int d = 0; d < DV; ++d)
    p.o[bh_off + static_cast<int64_t>(row) * D + part * DV + d] = __float2half(acc[d] * inv);
}

}  // namespace bsa

bool block_sparse_attention(const bsa::Params &p, int bh, int head_dim, cudaStream_t stream) {
  if (p.len % bsa::kBlk != 0) return false;
  const dim3 grid(p.len / bsa::kBlk, bh);
  switch (head_dim) {
    case 64: bsa::block_sparse_fwd<64><<<grid, bsa::kThreads, 0, stream>>>(p); return true;
    case 128: bsa::block_sparse_fwd<128><<<grid, bsa::kThreads, 0, stream>>>(p); return true;
    default: return false;
  }
}
