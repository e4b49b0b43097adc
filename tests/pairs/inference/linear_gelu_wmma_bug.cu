// Linear + bias + GELU, wmma tiles; the C tile reuses the operand buffers in shared memory.  nvcc -arch=sm_80
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

#include <algorithm>
#include <cstdint>

namespace {

using namespace nvcuda;

constexpr int TM = 64, TN = 64, TK = 32;
constexpr int kWarps = 4;
constexpr int kThreads = kWarps * 32;
constexpr int kSkewA = TK + 8, kSkewB = TN + 8, kSkewC = TN + 4;

struct OperandTiles {
  __half a[TM * kSkewA];
  __half b[TK * kSkewB];
};
union TileStorage {
  OperandTiles in;
  float c[TM * kSkewC];
};

template <bool kGelu>
struct Epilogue {
  const float *bias;
  __device__ __forceinline__ float operator()(float x, int col) const {
    x += bias != nullptr ? bias[col] : 0.f;
    if constexpr (kGelu) x = 0.5f * x * (1.f + tanhf(0.79788456f * (x + 0.044715f * x * x * x)));
    return x;
  }
};

template <typename Epi>
__global__ void __launch_bounds__(kThreads)
    linear_wmma(const __half *__restrict__ x, const __half *__restrict__ w, __half *__restrict__ y, int M, int N,
                int K, Epi epi) {
  __shared__ __align__(128) TileStorage s;

  const int m0 = blockIdx.y * TM, n0 = blockIdx.x * TN;
  const int warp = threadIdx.x / 32;

  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[TN / 16];
#pragma unroll
  for (int j = 0; j < TN / 16; ++j) wmma::fill_fragment(acc[j], 0.f);

  for (int k0 = 0; k0 < K; k0 += TK) {
    for (int i = threadIdx.x; i < TM * TK; i += kThreads) {
      const int r = i / TK, c = i % TK;
      const bool ok = m0 + r < M && k0 + c < K;
      s.in.a[r * kSkewA + c] = ok ? x[static_cast<int64_t>(m0 + r) * K + k0 + c] : __half(0.f);
    }
    for (int i = threadIdx.x; i < TK * TN; i += kThreads) {
      const int r = i / TN, c = i % TN;
      const bool ok = k0 + r < K && n0 + c < N;
      s.in.b[r * kSkewB + c] = ok ? w[static_cast<int64_t>(k0 + r) * N + n0 + c] : __half(0.f);
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < TK; kk += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
      wmma::load_matrix_sync(fa, s.in.a + warp * 16 * kSkewA + kk, kSkewA);
#pragma unroll
      for (int j = 0; j < TN / 16; ++j) {
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
        wmma::load_matrix_sync(fb, s.in.b + kk * kSkewB + j * 16, kSkewB);
        wmma::mma_sync(acc[j], fa, fb, acc[j]);
      }
    }
    __syncthreads();
  }

#pragma unroll
  for (int j = 0; j < TN / 16; ++j)
    wmma::store_matrix_sync(s.c + warp * 16 * kSkewC + j * 16, acc[j], kSkewC, wmma::mem_row_major);

  for (int i = threadIdx.x; i < TM * TN; i += kThreads) {
    const int r = i / TN, c = i % TN;
    if (m0 + r < M && n0 + c < N)
      y[static_cast<int64_t>(m0 + r) * N + n0 + c] = __float2half(epi(s.c[r * kSkewC + c], n0 + c));
  }
}

}  // namespace

void linear_bias_act(const __half *x, const __half *w, const float *bias, __half *y, int M, int N, int K,
                     bool gelu, cudaStream_t stream) {
  const dim3 grid((N + TN - 1) / TN, (M + TM - 1) / TM);
  if (gelu)
    linear_wmma<<<grid, kThreads, 0, stream>>>(x, w, y, M, N, K, Epilogue<true>{bias});
  else
    linear_wmma<<<grid, kThreads, 0, stream>>>(x, w, y, M, N, K, Epilogue<false>{bias});
}
