#include <cstdint>
#include <cuda_runtime.h>

__device__ __forceinline__ uint32_t smem_u32(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void mbar_init(uint64_t* b, uint32_t n) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(smem_u32(b)), "r"(n) : "memory");
}
__device__ __forceinline__ void mbar_arrive(uint64_t* b) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(smem_u32(b)) : "memory");
}
__device__ __forceinline__ void mbar_wait(uint64_t* b, uint32_t parity) {
  uint32_t done = 0;
  while (!done) {
    asm volatile(
        "{\n .reg .pred p;\n"
        " mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
        " selp.u32 %0, 1, 0, p;\n}\n"
        : "=r"(done) : "r"(smem_u32(b)), "r"(parity) : "memory");
  }
}
__device__ __forceinline__ void bar_sync(int id, int n) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(n) : "memory"); }
__device__ __forceinline__ void bar_arrive(int id, int n) { asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(n) : "memory"); }

constexpr int kStages = 2;
constexpr int kLen = 256;

__global__ void __launch_bounds__(288) two_group_tile(const float* A, float* C, int k_iters) {
  __shared__ float stage[kStages * kLen];
  __shared__ uint64_t full[kStages], empty[kStages];
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      mbar_init(&full[s], 32);
      mbar_init(&empty[s], 256);
    }
  }
  __syncthreads();
  const int wg = threadIdx.x / 128;
  if (wg == 2) {
    const int lane = threadIdx.x & 31;
    for (int k = 0; k < k_iters; ++k) {
      const int s = k % kStages;
      mbar_wait(&empty[s], ((k / kStages) & 1) ^ 1);
      const float* src = A + ((size_t)blockIdx.x * k_iters + k) * kLen;
      for (int e = lane; e < kLen; e += 32) stage[s * kLen + e] = src[e];
      mbar_arrive(&full[s]);
    }
  } else {
    const int t = threadIdx.x & 127;
    float a0 = 0.f, a1 = 0.f;
    for (int k = 0; k < k_iters; ++k) {
      const int s = k % kStages;
      mbar_wait(&full[s], (k / kStages) & 1);
      a0 += stage[s * kLen + t] * (wg + 1);
      a1 += stage[s * kLen + 128 + t] * (wg + 1);
      mbar_arrive(&empty[s]);
    }
    bar_sync(1, 256);
    float* mine = stage + wg * kLen;
    mine[2 * t] = a0;
    mine[2 * t + 1] = a1;
    bar_sync(3 + wg, 128);
    float* dst = C + ((size_t)blockIdx.x * 2 + wg) * kLen;
    dst[t] = mine[t];
    dst[t + 128] = mine[t + 128];
  }
}

void launch_two_group_tile(const float* A, float* C, int blocks, int K, cudaStream_t st) {
  two_group_tile<<<blocks, 288, 0, st>>>(A, C, K / 32);
}
