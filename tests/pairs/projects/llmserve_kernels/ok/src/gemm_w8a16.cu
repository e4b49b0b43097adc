#include "llm/common.cuh"
#include "llm/cp_async.cuh"
#include "cutlass/fast_math.h"

namespace llm {
namespace {

template <int BM_, int BN_, int BK_, int STAGES_>
struct GemmConfig {
  static constexpr int BM = BM_, BN = BN_, BK = BK_, STAGES = STAGES_;
  static constexpr int kThreads = 128;
  static constexpr int TM = 8, TN = 4;
  static_assert(BM / TM * (BN / TN) == kThreads, "");
  struct Stage {
    __half a[BM][BK];
    int8_t w[BN][BK];
  };
  static constexpr size_t kSmem = sizeof(Stage) * STAGES;
};

template <class Cfg>
__device__ __forceinline__ void load_stage(typename Cfg::Stage& s, const __half* A, const int8_t* W,
                                           int M, int N, int K, int m0, int n0, int k0) {
  constexpr int kA = Cfg::BM * Cfg::BK / 8, kW = Cfg::BN * Cfg::BK / 16;
  for (int c = threadIdx.x; c < kA; c += Cfg::kThreads) {
    const int r = c / (Cfg::BK / 8), k = c % (Cfg::BK / 8) * 8;
    cp_async16(&s.a[r][k], A + static_cast<int64_t>(min(m0 + r, M - 1)) * K + k0 + k);
  }
  for (int c = threadIdx.x; c < kW; c += Cfg::kThreads) {
    const int r = c / (Cfg::BK / 16), k = c % (Cfg::BK / 16) * 16;
    cp_async16(&s.w[r][k], W + static_cast<int64_t>(min(n0 + r, N - 1)) * K + k0 + k);
  }
}

// C[M,N] = A[M,K] * (W[N,K] * scale[N])^T
template <class Cfg>
__global__ void __launch_bounds__(Cfg::kThreads)
gemm_w8a16_kernel(const __half* __restrict__ A, const int8_t* __restrict__ W,
                  const float* __restrict__ scale, __half* __restrict__ C, int M, int N, int K) {
  extern __shared__ __align__(128) unsigned char smem[];
  auto* stages = reinterpret_cast<typename Cfg::Stage*>(smem);
  constexpr int S = Cfg::STAGES;
  const int m0 = blockIdx.y * Cfg::BM, n0 = blockIdx.x * Cfg::BN;
  const int tm = threadIdx.x / (Cfg::BN / Cfg::TN) * Cfg::TM;
  const int tn = threadIdx.x % (Cfg::BN / Cfg::TN) * Cfg::TN;
  float acc[Cfg::TM][Cfg::TN] = {};
  const int kt_end = K / Cfg::BK;

#pragma unroll
  for (int s = 0; s < S - 1; ++s) {
    if (s < kt_end) load_stage<Cfg>(stages[s], A, W, M, N, K, m0, n0, s * Cfg::BK);
    cp_async_commit();
  }
  for (int kt = 0; kt < kt_end; ++kt) {
    cp_async_wait<S - 2>();
    __syncthreads();
    const int nxt = kt + S - 1;
    if (nxt < kt_end) load_stage<Cfg>(stages[nxt % S], A, W, M, N, K, m0, n0, nxt * Cfg::BK);
    cp_async_commit();
    const auto& cur = stages[kt % S];
#pragma unroll 4
    for (int k = 0; k < Cfg::BK; ++k) {
      float w[Cfg::TN];
#pragma unroll
      for (int j = 0; j < Cfg::TN; ++j) w[j] = static_cast<float>(cur.w[tn + j][k]);
#pragma unroll
      for (int i = 0; i < Cfg::TM; ++i) {
        const float a = __half2float(cur.a[tm + i][k]);
#pragma unroll
        for (int j = 0; j < Cfg::TN; ++j) acc[i][j] += a * w[j];
      }
    }
  }
  for (int i = 0; i < Cfg::TM; ++i)
    for (int j = 0; j < Cfg::TN; ++j)
      if (m0 + tm + i < M && n0 + tn + j < N)
        C[static_cast<int64_t>(m0 + tm + i) * N + n0 + tn + j] = __float2half_rn(acc[i][j] * scale[n0 + tn + j]);
}

template <class Cfg>
void launch(const __half* A, const int8_t* W, const float* scale, __half* C, int M, int N, int K, cudaStream_t st) {
  LLM_CHECK(cudaFuncSetAttribute(gemm_w8a16_kernel<Cfg>, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(Cfg::kSmem)));
  dim3 grid(cutlass::ceil_div(N, Cfg::BN), cutlass::ceil_div(M, Cfg::BM));
  gemm_w8a16_kernel<Cfg><<<grid, Cfg::kThreads, Cfg::kSmem, st>>>(A, W, scale, C, M, N, K);
  LLM_CHECK(cudaGetLastError());
}

}  // namespace

void gemm_w8a16(const __half* A, const int8_t* W, const float* scale, __half* C, int M, int N, int K, cudaStream_t st) {
  if (K % 32) abort();
  if (M <= 32)
    launch<GemmConfig<32, 128, 32, 4>>(A, W, scale, C, M, N, K, st);
  else
    launch<GemmConfig<64, 64, 32, 3>>(A, W, scale, C, M, N, K, st);
}

}  // namespace llm
