// Implicit GEMM convolution, NHWC fp16, multistage cp.async pipeline feeding wmma.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <mma.h>
#include <cstdint>

using namespace nvcuda;

struct ConvShape {
  int N, H, W, C;   // input
  int K, R, S;      // filters
  int pad, stride;
  int P, Q;         // output
};

constexpr int BM = 64;   // output pixels
constexpr int BN = 64;   // output channels
constexpr int BK = 32;   // input channels of one filter tap
constexpr int LDS = BK + 8;
constexpr int THREADS = 128;

template <int STAGES>
struct SharedStorage {
  __half a[STAGES][BM][LDS];
  __half b[STAGES][BN][LDS];
};

// The (pixel, tap) coordinates of the two 16-byte vectors a thread copies for the activations.
struct PixelIterator {
  int n[2], h0[2], w0[2];
  bool valid[2];

  __device__ void init(const ConvShape& s, int m0) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int row = (threadIdx.x + i * THREADS) / (BK / 8);
      int m = m0 + row;
      valid[i] = m < s.N * s.P * s.Q;
      if (!valid[i]) m = 0;
      const int q = m % s.Q, p = (m / s.Q) % s.P;
      n[i] = m / (s.P * s.Q);
      h0[i] = p * s.stride - s.pad;
      w0[i] = q * s.stride - s.pad;
    }
  }
};

template <int STAGES>
__device__ __forceinline__ void load_stage(SharedStorage<STAGES>& sm, int stage, int kt, const ConvShape& s,
                                           const PixelIterator& it, const __half* __restrict__ x,
                                           const __half* __restrict__ w, int n0) {
  const int cblocks = s.C / BK;
  const int tap = kt / cblocks, c0 = (kt % cblocks) * BK;
  const int r = tap / s.S, t = tap % s.S;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int idx = threadIdx.x + i * THREADS;
    const int row = idx / (BK / 8), col = (idx % (BK / 8)) * 8;

    const int h = it.h0[i] + r, v = it.w0[i] + t;
    const bool in = it.valid[i] && h >= 0 && h < s.H && v >= 0 && v < s.W;
    const __half* src = in ? x + (((size_t)it.n[i] * s.H + h) * s.W + v) * s.C + c0 + col : x;
    __pipeline_memcpy_async(&sm.a[stage][row][col], src, 16, in ? 0 : 16);

    const bool inb = n0 + row < s.K;
    const __half* wsrc = inb ? w + ((size_t)(n0 + row) * s.R * s.S + tap) * s.C + c0 + col : w;
    __pipeline_memcpy_async(&sm.b[stage][row][col], wsrc, 16, inb ? 0 : 16);
  }
}

template <int STAGES>
__global__ void __launch_bounds__(THREADS)
conv_igemm(ConvShape s, const __half* __restrict__ x, const __half* __restrict__ w, float* __restrict__ y) {
  static_assert(STAGES >= 2, "needs a pipeline");
  extern __shared__ __align__(128) unsigned char raw[];
  SharedStorage<STAGES>& sm = *reinterpret_cast<SharedStorage<STAGES>*>(raw);

  const int m0 = blockIdx.x * BM, n0 = blockIdx.y * BN;
  const int warp = threadIdx.x / 32;
  const int wm = (warp & 1) * 32, wn = (warp >> 1) * 32;
  const int ktiles = s.R * s.S * (s.C / BK);

  PixelIterator it;
  it.init(s, m0);

  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) wmma::fill_fragment(acc[i][j], 0.f);

  for (int st = 0; st < STAGES - 1; ++st) {
    if (st < ktiles) load_stage<STAGES>(sm, st, st, s, it, x, w, n0);
    __pipeline_commit();
  }

  for (int kt = 0; kt < ktiles; ++kt) {
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads();

    // refill the stage that was consumed in the previous iteration; empty groups keep the count
    const int next = kt + STAGES - 1;
    if (next < ktiles) load_stage<STAGES>(sm, next % STAGES, next, s, it, x, w, n0);
    __pipeline_commit();

    const int cur = kt % STAGES;
#pragma unroll
    for (int kk = 0; kk < BK; kk += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb[2];
      for (int i = 0; i < 2; ++i) {
        wmma::load_matrix_sync(fa[i], &sm.a[cur][wm + 16 * i][kk], LDS);
        wmma::load_matrix_sync(fb[i], &sm.b[cur][wn + 16 * i][kk], LDS);
      }
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) wmma::mma_sync(acc[i][j], fa[i], fb[j], acc[i][j]);
    }
  }

  // y is padded to multiples of the tile, so whole fragments can be stored
  const int ldy = gridDim.y * BN;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      wmma::store_matrix_sync(y + (size_t)(m0 + wm + 16 * i) * ldy + n0 + wn + 16 * j, acc[i][j], ldy,
                              wmma::mem_row_major);
}

template <int STAGES>
static cudaError_t launch(const ConvShape& s, const __half* x, const __half* w, float* y, cudaStream_t st) {
  const int smem = sizeof(SharedStorage<STAGES>);
  cudaError_t e = cudaFuncSetAttribute(conv_igemm<STAGES>, cudaFuncAttributeMaxDynamicSharedMemorySize, smem);
  if (e != cudaSuccess) return e;
  dim3 grid((s.N * s.P * s.Q + BM - 1) / BM, (s.K + BN - 1) / BN);
  conv_igemm<STAGES><<<grid, THREADS, smem, st>>>(s, x, w, y);
  return cudaGetLastError();
}

cudaError_t conv2d_nhwc(ConvShape s, const __half* x, const __half* w, float* y_padded, cudaStream_t st) {
  if (s.C <= 0 || s.C % BK != 0 || s.stride < 1) return cudaErrorInvalidValue;
  s.P = (s.H + 2 * s.pad - s.R) / s.stride + 1;
  s.Q = (s.W + 2 * s.pad - s.S) / s.stride + 1;
  if (s.N < 1 || s.K < 1 || s.P < 1 || s.Q < 1) return cudaErrorInvalidValue;
  return s.C >= 256 ? launch<4>(s, x, w, y_padded, st) : launch<3>(s, x, w, y_padded, st);
}
