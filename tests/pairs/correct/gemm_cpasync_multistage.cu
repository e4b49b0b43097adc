#include <cstdint>
#include <cuda_runtime.h>

__device__ __forceinline__ void cp_async16(void* dst, const void* src) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((uint32_t)__cvta_generic_to_shared(dst)), "l"(src) : "memory");
}
__device__ __forceinline__ void cp_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N> __device__ __forceinline__ void cp_async_wait() { asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory"); }

constexpr int BM = 64, BN = 64, BK = 16, S = 4;

struct Tiles {
  float a[S][BM][BK];
  float b[S][BK][BN];
};

__device__ __forceinline__ void load_stage(Tiles& t, int s, const float* A, const float* B, int K, int N, int m0, int n0, int k0, int tid) {
  const int ar = tid / 4, ac = (tid % 4) * 4;
  cp_async16(&t.a[s][ar][ac], A + (size_t)(m0 + ar) * K + k0 + ac);
  const int br = tid / 16, bc = (tid % 16) * 4;
  cp_async16(&t.b[s][br][bc], B + (size_t)(k0 + br) * N + n0 + bc);
}

__global__ void __launch_bounds__(256) gemm_ms(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ __align__(16) Tiles t;
  const int tid = threadIdx.x;
  const int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN;
  const int kt = K / BK;
  const int ty = tid / 16, tx = tid % 16;
  float acc[4][4] = {};
#pragma unroll
  for (int s = 0; s < S - 1; ++s) {
    if (s < kt) load_stage(t, s, A, B, K, N, m0, n0, s * BK, tid);
    cp_async_commit();
  }
  for (int k = 0; k < kt; ++k) {
    cp_async_wait<S - 2>();
    __syncthreads();
    const int cs = k % S;
    const int nk = k + S - 1;
    if (nk < kt) load_stage(t, nk % S, A, B, K, N, m0, n0, nk * BK, tid);
    cp_async_commit();
#pragma unroll
    for (int kk = 0; kk < BK; ++kk)
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) acc[i][j] += t.a[cs][ty * 4 + i][kk] * t.b[cs][kk][tx * 4 + j];
  }
  cp_async_wait<0>();
  __syncthreads();
  float* stage_c = &t.a[0][0][0];
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) stage_c[(ty * 4 + i) * BN + tx * 4 + j] = acc[i][j];
  __syncthreads();
  for (int e = tid; e < BM * BN; e += 256) C[(size_t)(m0 + e / BN) * N + n0 + e % BN] = stage_c[e];
}

void gemm(const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t st) {
  dim3 grid(N / BN, M / BM);
  gemm_ms<<<grid, 256, 0, st>>>(A, B, C, M, N, K);
}
