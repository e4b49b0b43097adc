#include "sv/common.hpp"
#include "sv/dct.cuh"

namespace sv {
namespace {

// 8 threads per 8x8 block; GROUPS blocks per thread block.
template <int GROUPS>
__global__ void dct_quant_kernel(const PtrStepSz<uchar> src, int16_t* __restrict__ coef, const float* __restrict__ qtab, int blocks_x, int nblocks) {
  __shared__ float buf[GROUPS][8][9];
  const int g = threadIdx.x / 8, k = threadIdx.x % 8;
  const int b = blockIdx.x * GROUPS + g;
  const bool live = b < nblocks;
  const int x0 = live ? b % blocks_x * 8 : 0, y0 = live ? b / blocks_x * 8 : 0;
  float v[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) v[i] = static_cast<float>(src(y0 + k, x0 + i)) - 128.f;
  dct8(v);
#pragma unroll
  for (int i = 0; i < 8; ++i) buf[g][k][i] = v[i];
#pragma unroll
  for (int i = 0; i < 8; ++i) v[i] = buf[g][i][k];
  dct8(v);
#pragma unroll
  for (int i = 0; i < 8; ++i) buf[g][i][k] = v[i] * qtab[i * 8 + k];
  __syncwarp();
  if (!live) return;
#pragma unroll
  for (int i = 0; i < 8; ++i) coef[static_cast<size_t>(b) * 64 + k * 8 + i] = static_cast<int16_t>(__float2int_rn(buf[g][k][i]));
}

template <int BLOCK>
union ModelSmem {
  unsigned hist[BLOCK / 32][256];
  struct {
    unsigned max_count;
    unsigned val[2][256];
  } scan;
};

// Cumulative symbol counts of each chunk, then the largest count. BLOCK == 256.
template <int BLOCK>
__global__ void symbol_model_kernel(const uint8_t* __restrict__ sym, int n, int chunk, unsigned* __restrict__ cum) {
  static_assert(BLOCK == 256, "a thread per symbol");
  __shared__ ModelSmem<BLOCK> sm;
  const int t = threadIdx.x, w = t >> 5;
  for (int i = t; i < BLOCK / 32 * 256; i += BLOCK) (&sm.hist[0][0])[i] = 0;
  __syncthreads();
  const int begin = blockIdx.x * chunk, end = min(n, begin + chunk);
  for (int i = begin + t; i < end; i += BLOCK) atomicAdd(&sm.hist[w][sym[i]], 1u);
  __syncthreads();
  unsigned c = 0;
#pragma unroll
  for (int k = 0; k < BLOCK / 32; ++k) c += sm.hist[k][t];
  int cur = 0;
  sm.scan.val[0][t] = c;
  if (t == 0) sm.scan.max_count = 0;
  __syncthreads();
  atomicMax(&sm.scan.max_count, c);
  for (int off = 1; off < 256; off <<= 1) {
    unsigned v = sm.scan.val[cur][t];
    if (t >= off) v += sm.scan.val[cur][t - off];
    cur ^= 1;
    sm.scan.val[cur][t] = v;
    __syncthreads();
  }
  cum[blockIdx.x * 258 + t + 1] = sm.scan.val[cur][t];
  if (t == 0) {
    cum[blockIdx.x * 258] = 0;
    cum[blockIdx.x * 258 + 257] = sm.scan.max_count;
  }
}

}  // namespace

void dct_quant(const cv::cuda::GpuMat& src, int16_t* coef, const float* qtab, cv::cuda::Stream& s) {
  CV_Assert(src.cols % 8 == 0 && src.rows % 8 == 0);
  constexpr int kGroups = 16;
  const int bx = src.cols / 8, nb = bx * (src.rows / 8);
  dct_quant_kernel<kGroups><<<div_up(nb, kGroups), kGroups * 8, 0, raw(s)>>>(src, coef, qtab, bx, nb);
  SV_SAFE_CALL(cudaGetLastError());
}

void symbol_model(const uint8_t* sym, int n, int chunk, unsigned* cum, cv::cuda::Stream& s) {
  if (n <= 0) return;
  symbol_model_kernel<256><<<div_up(n, chunk), 256, 0, raw(s)>>>(sym, n, chunk, cum);
  SV_SAFE_CALL(cudaGetLastError());
}

}  // namespace sv
