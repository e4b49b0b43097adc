#include <cuda_runtime.h>
#include <algorithm>

namespace blas {

template <int BM_, int BN_, int BK_, int STAGES_>
struct GemmPolicy {
  static constexpr int BM = BM_, BN = BN_, BK = BK_, STAGES = STAGES_;
  static constexpr int TM = 4, TN = 4;
  static constexpr int TX = BN / TN, TY = BM / TM;
  static constexpr int THREADS = TX * TY;
};

template <class P>
struct GemmSmem {
  float a[P::STAGES][P::BK][P::BM + 4];
  float b[P::STAGES][P::BK][P::BN];
};

struct GemmArgs {
  const float* A;
  const float* B;
  float* C;
  int M, N, K;
  float alpha;
};

template <class P>
__device__ __forceinline__ void load_tile(GemmSmem<P>& sm, const GemmArgs& g, int slot, int m0, int n0, int k0) {
  const int tid = threadIdx.y * P::TX + threadIdx.x;
  for (int e = tid; e < P::BM * P::BK; e += P::THREADS) {
    const int k = e % P::BK, m = e / P::BK;
    const bool ok = m0 + m < g.M && k0 + k < g.K;
    sm.a[slot][k][m] = ok ? g.A[size_t(m0 + m) * g.K + k0 + k] : 0.f;
  }
  for (int e = tid; e < P::BN * P::BK; e += P::THREADS) {
    const int n = e % P::BN, k = e / P::BN;
    const bool ok = n0 + n < g.N && k0 + k < g.K;
    sm.b[slot][k][n] = ok ? g.B[size_t(k0 + k) * g.N + n0 + n] : 0.f;
  }
}

template <class P>
__device__ __forceinline__ void mma_tile(const GemmSmem<P>& sm, int slot, float (&acc)[P::TM][P::TN]) {
#pragma unroll
  for (int k = 0; k < P::BK; ++k) {
    float ra[P::TM], rb[P::TN];
#pragma unroll
    for (int i = 0; i < P::TM; ++i) ra[i] = sm.a[slot][k][threadIdx.y * P::TM + i];
#pragma unroll
    for (int j = 0; j < P::TN; ++j) rb[j] = sm.b[slot][k][threadIdx.x * P::TN + j];
#pragma unroll
    for (int i = 0; i < P::TM; ++i)
#pragma unroll
      for (int j = 0; j < P::TN; ++j) acc[i][j] += ra[i] * rb[j];
  }
}

template <class P>
__global__ void __launch_bounds__(P::THREADS) sgemm_kernel(GemmArgs g) {
  __shared__ GemmSmem<P> sm;
  const int m0 = blockIdx.y * P::BM, n0 = blockIdx.x * P::BN;
  const int steps = (g.K + P::BK - 1) / P::BK;
  float acc[P::TM][P::TN] = {};

  load_tile<P>(sm, g, 0, m0, n0, 0);
  int rd = 0;
  for (int k = 0; k < steps; ++k) {
    const int wr = rd + 1 == P::STAGES ? 0 : rd + 1;
    if (k + 1 < steps) load_tile<P>(sm, g, wr, m0, n0, (k + 1) * P::BK);
    __syncthreads();
    mma_tile<P>(sm, rd, acc);
    rd = wr;
  }

#pragma unroll
  for (int i = 0; i < P::TM; ++i) {
    const int m = m0 + threadIdx.y * P::TM + i;
#pragma unroll
    for (int j = 0; j < P::TN; ++j) {
      const int n = n0 + threadIdx.x * P::TN + j;
      if (m < g.M && n < g.N) g.C[size_t(m) * g.N + n] = g.alpha * acc[i][j];
    }
  }
}

template <class P>
cudaError_t launch(const GemmArgs& g, cudaStream_t s) {
  const dim3 grid((g.N + P::BN - 1) / P::BN, (g.M + P::BM - 1) / P::BM);
  sgemm_kernel<P><<<grid, dim3(P::TX, P::TY), 0, s>>>(g);
  return cudaGetLastError();
}

cudaError_t sgemm(const GemmArgs& g, cudaStream_t s) {
  if (std::min(g.M, g.N) <= 0) return cudaSuccess;
  return launch<GemmPolicy<64, 64, 16, 3>>(g, s);
}

}  // namespace blas
