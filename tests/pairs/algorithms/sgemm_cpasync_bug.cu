// Small SGEMM (row-major, C = A * B), multi-stage cp.async main loop.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>

namespace gemm {

constexpr int BM = 64, BN = 64, BK = 16;
constexpr int kThreads = 256;
constexpr int kStages = 3;

struct Problem {
  const float* a;  // M x K, lda multiple of 4
  const float* b;  // K x N, ldb multiple of 4
  float* c;
  int m, n, k;
  int lda, ldb, ldc;
};

__device__ __forceinline__ void cp16(void* dst, const void* src, bool pred) {
  const uint32_t d = (uint32_t)__cvta_generic_to_shared(dst);
  const int bytes = pred ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" ::"r"(d), "l"(src), "r"(bytes) : "memory");
}
__device__ __forceinline__ void cp_commit() { asm volatile("cp.async.commit_group;\n" ::: "memory"); }
template <int N>
__device__ __forceinline__ void cp_wait() {
  asm volatile("cp.async.wait_group %0;\n" ::"n"(N) : "memory");
}

struct Tiles {
  float a[kStages][BM][BK];
  float b[kStages][BK][BN];
};

__device__ void load_stage(Tiles& t, int s, const Problem& p, int m0, int n0, int k0) {
  const int tid = threadIdx.x;
  {
    const int r = tid / (BK / 4), c = tid % (BK / 4) * 4;
    const bool ok = m0 + r < p.m && k0 + c < p.k;
    cp16(&t.a[s][r][c], ok ? p.a + (size_t)(m0 + r) * p.lda + k0 + c : p.a, ok);
  }
  {
    const int r = tid / (BN / 4), c = tid % (BN / 4) * 4;
    const bool ok = k0 + r < p.k && n0 + c < p.n;
    cp16(&t.b[s][r][c], ok ? p.b + (size_t)(k0 + r) * p.ldb + n0 + c : p.b, ok);
  }
}

__global__ void __launch_bounds__(kThreads) sgemm(Problem p) {
  __shared__ alignas(16) Tiles t;
  const int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN;
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  const int nk = (p.k + BK - 1) / BK;

  for (int s = 0; s < kStages - 1; ++s) {
    if (s < nk) load_stage(t, s, p, m0, n0, s * BK);
    cp_commit();
  }

  float acc[4][4] = {};
  for (int k = 0; k < nk; ++k) {
    cp_wait<kStages - 2>();
    __syncthreads();
    const int nxt = k + kStages - 1;
    if (nxt < nk) {
      load_stage(t, nxt % kStages, p, m0, n0, nxt * BK);
      cp_commit();
    }

    const int s = k % kStages;
#pragma unroll
    for (int kk = 0; kk < BK; ++kk) {
      float av[4], bv[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) av[i] = t.a[s][ty * 4 + i][kk];
#pragma unroll
      for (int j = 0; j < 4; ++j) bv[j] = t.b[s][kk][tx * 4 + j];
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) acc[i][j] += av[i] * bv[j];
    }
  }

  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      const int r = m0 + ty * 4 + i, c = n0 + tx * 4 + j;
      if (r < p.m && c < p.n) p.c[(size_t)r * p.ldc + c] = acc[i][j];
    }
}

cudaError_t run(const Problem& p, cudaStream_t s) {
  if (p.k % 4 || p.n % 4 || p.lda % 4 || p.ldb % 4) return cudaErrorInvalidValue;
  if (p.m == 0 || p.n == 0) return cudaSuccess;
  const dim3 grid((p.n + BN - 1) / BN, (p.m + BM - 1) / BM);
  sgemm<<<grid, kThreads, 0, s>>>(p);
  return cudaGetLastError();
}

}  // namespace gemm

int main() {
  const int m = 500, n = 768, k = 1000;
  float *a, *b, *c;
  if (cudaMalloc(&a, sizeof(float) * m * k) || cudaMalloc(&b, sizeof(float) * k * n) ||
      cudaMalloc(&c, sizeof(float) * m * n))
    return 1;
  cudaMemset(a, 0, sizeof(float) * m * k);
  cudaMemset(b, 0, sizeof(float) * k * n);
  cudaError_t e = gemm::run({a, b, c, m, n, k, k, n, n}, 0);
  if (e == cudaSuccess) e = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(e));
  return e != cudaSuccess;
}
