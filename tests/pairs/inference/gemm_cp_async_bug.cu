// Half GEMM, 64x64x32 tiles, multi-stage cp.async and wmma.  nvcc -arch=sm_80
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

#include <cstdint>

namespace gemm {

using namespace nvcuda;

constexpr int BM = 64, BN = 64, BK = 32;
constexpr int kThreads = 128;
constexpr int LDA_S = BK + 8, LDB_S = BN + 8;

__device__ __forceinline__ void cp_async16(void *dst, const void *src) {
  const uint32_t s = static_cast<uint32_t>(__cvta_generic_to_shared(dst));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(s), "l"(src) : "memory");
}
__device__ __forceinline__ void cp_async_commit() { asm volatile("cp.async.commit_group;\n" ::: "memory"); }
template <int N>
__device__ __forceinline__ void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;\n" ::"n"(N) : "memory");
}

struct Stage {
  __half a[BM][LDA_S];
  __half b[BK][LDB_S];
};

struct Problem {
  const __half *A;  // [M, K]
  const __half *B;  // [K, N]
  float *C;         // [M, N]
  int M, N, K;
};

__device__ __forceinline__ void load_stage(Stage &s, const Problem &p, int m0, int n0, int k0) {
#pragma unroll
  for (int i = threadIdx.x; i < BM * BK / 8; i += kThreads) {
    const int r = i / (BK / 8), c = (i % (BK / 8)) * 8;
    cp_async16(&s.a[r][c], p.A + static_cast<int64_t>(m0 + r) * p.K + k0 + c);
  }
#pragma unroll
  for (int i = threadIdx.x; i < BK * BN / 8; i += kThreads) {
    const int r = i / (BN / 8), c = (i % (BN / 8)) * 8;
    cp_async16(&s.b[r][c], p.B + static_cast<int64_t>(k0 + r) * p.N + n0 + c);
  }
}

template <int STAGES>
__global__ void __launch_bounds__(kThreads) hgemm_pipelined(const Problem p) {
  extern __shared__ __align__(128) unsigned char smem[];
  Stage *stages = reinterpret_cast<Stage *>(smem);

  const int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN;
  const int warp = threadIdx.x / 32;
  const int wm = (warp / 2) * 32, wn = (warp % 2) * 32;
  const int k_tiles = p.K / BK;

  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 2; ++j) wmma::fill_fragment(acc[i][j], 0.f);

#pragma unroll
  for (int s = 0; s < STAGES - 1; ++s) {
    if (s < k_tiles) load_stage(stages[s], p, m0, n0, s * BK);
    cp_async_commit();
  }

  for (int kt = 0; kt < k_tiles; ++kt) {
    cp_async_wait<STAGES - 2>();
    __syncthreads();

    const int next = kt + STAGES - 1;
    if (next < k_tiles) {
      load_stage(stages[next % STAGES], p, m0, n0, next * BK);
      cp_async_commit();
    }

    const Stage &st = stages[kt % STAGES];
#pragma unroll
    for (int kk = 0; kk < BK; kk += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb[2];
#pragma unroll
      for (int i = 0; i < 2; ++i) wmma::load_matrix_sync(fa[i], &st.a[wm + i * 16][kk], LDA_S);
#pragma unroll
      for (int j = 0; j < 2; ++j) wmma::load_matrix_sync(fb[j], &st.b[kk][wn + j * 16], LDB_S);
#pragma unroll
      for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 2; ++j) wmma::mma_sync(acc[i][j], fa[i], fb[j], acc[i][j]);
    }
  }
  cp_async_wait<0>();

#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 2; ++j)
      wmma::store_matrix_sync(p.C + static_cast<int64_t>(m0 + wm + i * 16) * p.N + n0 + wn + j * 16, acc[i][j], p.N,
                              wmma::mem_row_major);
}

template <int STAGES>
void launch(const Problem &p, cudaStream_t stream) {
  constexpr int bytes = STAGES * sizeof(Stage);
  cudaFuncSetAttribute(hgemm_pipelined<STAGES>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  hgemm_pipelined<STAGES><<<dim3(p.N / BN, p.M / BM), kThreads, bytes, stream>>>(p);
}

}  // namespace gemm

bool hgemm(const __half *A, const __half *B, float *C, int M, int N, int K, cudaStream_t stream) {
  if (M % gemm::BM || N % gemm::BN || K % gemm::BK || K == 0) return false;
  const gemm::Problem p{A, B, C, M, N, K};
  if (K >= 1024) gemm::launch<4>(p, stream);
  else gemm::launch<3>(p, stream);
  return true;
}
