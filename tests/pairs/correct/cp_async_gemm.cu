// SGEMM with an N-stage cp.async pipeline.
#include <cuda_runtime.h>
#include <cstdint>

namespace gemm {

template <int BM_, int BN_, int BK_, int STAGES_>
struct Tile {
  static constexpr int BM = BM_, BN = BN_, BK = BK_, STAGES = STAGES_;
  static constexpr int THREADS = (BM / 4) * (BN / 4);
  static constexpr int A_ELEMS = BM * BK, B_ELEMS = BK * BN;
  static constexpr int STAGE_ELEMS = A_ELEMS + B_ELEMS;
  static_assert(A_ELEMS % 4 == 0 && B_ELEMS % 4 == 0 && STAGES >= 2, "");
};

__device__ __forceinline__ void cp16(float* dst, const float* src) {
  const uint32_t d = static_cast<uint32_t>(__cvta_generic_to_shared(dst));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(d), "l"(src) : "memory");
}
__device__ __forceinline__ void cp_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N> __device__ __forceinline__ void cp_wait() { asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory"); }

template <typename T>
__device__ void load_stage(float* stage, const float* A, const float* B, int N, int K, int k0) {
  float* sa = stage;
  float* sb = stage + T::A_ELEMS;
  for (int v = threadIdx.x; v < T::A_ELEMS / 4; v += T::THREADS) {
    const int r = v / (T::BK / 4), c = v % (T::BK / 4) * 4;
    cp16(sa + r * T::BK + c, A + size_t(r) * K + k0 + c);
  }
  for (int v = threadIdx.x; v < T::B_ELEMS / 4; v += T::THREADS) {
    const int r = v / (T::BN / 4), c = v % (T::BN / 4) * 4;
    cp16(sb + r * T::BN + c, B + size_t(k0 + r) * N + c);
  }
}

template <typename T>
__global__ void __launch_bounds__(T::THREADS)
sgemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int N, int K) {
  extern __shared__ __align__(16) float smem[];
  A += size_t(blockIdx.y) * T::BM * K;
  B += blockIdx.x * T::BN;
  C += size_t(blockIdx.y) * T::BM * N + blockIdx.x * T::BN;
  const int tx = threadIdx.x % (T::BN / 4), ty = threadIdx.x / (T::BN / 4);
  const int ktiles = K / T::BK;
  float acc[4][4] = {};

#pragma unroll
  for (int s = 0; s < T::STAGES - 1; ++s) {
    if (s < ktiles) load_stage<T>(smem + s * T::STAGE_ELEMS, A, B, N, K, s * T::BK);
    cp_commit();
  }
  for (int kt = 0; kt < ktiles; ++kt) {
    cp_wait<T::STAGES - 2>();
    __syncthreads();
    const int nxt = kt + T::STAGES - 1;
    if (nxt < ktiles) load_stage<T>(smem + (nxt % T::STAGES) * T::STAGE_ELEMS, A, B, N, K, nxt * T::BK);
    cp_commit();
    const float* sa = smem + (kt % T::STAGES) * T::STAGE_ELEMS;
    const float* sb = sa + T::A_ELEMS;
#pragma unroll
    for (int k = 0; k < T::BK; ++k) {
      const float4 b = *reinterpret_cast<const float4*>(sb + k * T::BN + tx * 4);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const float a = sa[(ty * 4 + i) * T::BK + k];
        acc[i][0] += a * b.x;
        acc[i][1] += a * b.y;
        acc[i][2] += a * b.z;
        acc[i][3] += a * b.w;
      }
    }
  }
  for (int i = 0; i < 4; ++i)
    *reinterpret_cast<float4*>(C + size_t(ty * 4 + i) * N + tx * 4) = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}

template <typename T>
bool try_launch(const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t s) {
  if (M % T::BM || N % T::BN || K % T::BK) return false;
  const size_t bytes = sizeof(float) * T::STAGES * T::STAGE_ELEMS;
  if (cudaFuncSetAttribute(sgemm<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes)) != cudaSuccess) return false;
  sgemm<T><<<dim3(N / T::BN, M / T::BM), T::THREADS, bytes, s>>>(A, B, C, N, K);
  return true;
}

bool run(const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t s) {
  if (M <= 0 || N <= 0 || K <= 0 || C == A || C == B) return false;
  return try_launch<Tile<64, 64, 16, 4>>(A, B, C, M, N, K, s) || try_launch<Tile<32, 32, 8, 3>>(A, B, C, M, N, K, s) ||
         try_launch<Tile<16, 32, 4, 2>>(A, B, C, M, N, K, s);
}

}  // namespace gemm
