// Linear layer with bias + GELU on tensor cores (wmma), fp16 in / fp16 out, fp32 accumulate.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>
#include <cassert>

using namespace nvcuda;

namespace {

constexpr int WM = 16, WN = 16, WK = 16;
constexpr int kTileM = 64, kTileN = 64, kTileK = 32;
constexpr int kPad = 8;
constexpr int kThreads = 128;  // 2 x 2 warps, 32 x 32 outputs each

struct EpilogueIdentity {
  __device__ float operator()(float v) const { return v; }
};

struct EpilogueGelu {
  __device__ float operator()(float v) const {
    return 0.5f * v * (1.f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
  }
};

// rows x 32 halves, zero filled outside
__device__ void load_tile(__half (*dst)[kTileK + kPad], const __half* src, int ld, int row0, int rows,
                          int k0, int K) {
  for (int i = threadIdx.x; i < kTileM * kTileK; i += kThreads) {
    const int r = i / kTileK, c = i % kTileK;
    const bool ok = row0 + r < rows && k0 + c < K;
    dst[r][c] = ok ? src[(size_t)(row0 + r) * ld + k0 + c] : __float2half(0.f);
  }
}

template <typename Epilogue>
__global__ void __launch_bounds__(kThreads)
linear_wmma(const __half* __restrict__ X, const __half* __restrict__ W, const __half* __restrict__ bias,
            __half* __restrict__ Y, int M, int N, int K, Epilogue act) {
  __shared__ __align__(32) __half xs[kTileM][kTileK + kPad];
  __shared__ __align__(32) __half ws[kTileN][kTileK + kPad];
  __shared__ __align__(32) float stage[kThreads / 32][WM * WN];

  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int wm = (warp / 2) * 32, wn = (warp % 2) * 32;
  const int m0 = blockIdx.y * kTileM, n0 = blockIdx.x * kTileN;

  wmma::fragment<wmma::accumulator, WM, WN, WK, float> acc[2][2];
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) wmma::fill_fragment(acc[i][j], 0.f);

  for (int k0 = 0; k0 < K; k0 += kTileK) {
    load_tile(xs, X, K, m0, M, k0, K);
    load_tile(ws, W, K, n0, N, k0, K);
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < kTileK; kk += WK) {
      wmma::fragment<wmma::matrix_a, WM, WN, WK, __half, wmma::row_major> a[2];
      wmma::fragment<wmma::matrix_b, WM, WN, WK, __half, wmma::col_major> b[2];
      for (int i = 0; i < 2; ++i) {
        wmma::load_matrix_sync(a[i], &xs[wm + 16 * i][kk], kTileK + kPad);
        wmma::load_matrix_sync(b[i], &ws[wn + 16 * i][kk], kTileK + kPad);
      }
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) wmma::mma_sync(acc[i][j], a[i], b[j], acc[i][j]);
    }
    __syncthreads();
  }

  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      wmma::store_matrix_sync(stage[warp], acc[i][j], WN, wmma::mem_row_major);
      for (int e = lane; e < WM * WN; e += 32) {
        const int m = m0 + wm + 16 * i + e / WN;
        const int n = n0 + wn + 16 * j + e % WN;
        if (m >= M || n >= N) continue;
        const float v = stage[warp][e] + (bias ? __half2float(bias[n]) : 0.f);
        Y[(size_t)m * N + n] = __float2half(act(v));
      }
      __syncwarp();
    }
  }
}

}  // namespace

enum Activation { ACT_NONE = 0, ACT_GELU = 1 };

cudaError_t linear_forward(const __half* x, const __half* w, const __half* bias, __half* y, int M, int N,
                           int K, Activation act, cudaStream_t stream) {
  if (M <= 0 || N <= 0 || K <= 0) return cudaErrorInvalidValue;
  const dim3 grid((N + kTileN - 1) / kTileN, (M + kTileM - 1) / kTileM);
  switch (act) {
    case ACT_NONE:
      linear_wmma<<<grid, kThreads, 0, stream>>>(x, w, bias, y, M, N, K, EpilogueIdentity{});
      break;
    case ACT_GELU:
      linear_wmma<<<grid, kThreads, 0, stream>>>(x, w, bias, y, M, N, K, EpilogueGelu{});
      break;
  }
  return cudaGetLastError();
}
