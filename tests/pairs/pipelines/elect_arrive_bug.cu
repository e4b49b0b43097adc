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

constexpr int kStages = 3;
constexpr int kLen = 384;

__global__ void __launch_bounds__(160) row_moments(const float* in, float* out, const int* seg, float shift) {
  __shared__ float buf[kStages][kLen];
  __shared__ uint64_t full[kStages], empty[kStages];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      mbar_init(&full[s], 1);
      mbar_init(&empty[s], 128);
    }
  }
  __syncthreads();
  const int begin = seg[blockIdx.x], end = seg[blockIdx.x + 1];
  if (warp == 4) {
    for (int r = begin; r < end; ++r) {
      const int i = r - begin, s = i % kStages;
      mbar_wait(&empty[s], ((i / kStages) & 1) ^ 1);
      for (int e = lane; e < kLen; e += 32) {
        buf[s][e] = in[(size_t)r * kLen + e] - shift;
      }
      if (lane == 0) mbar_arrive(&full[s]);
    }
  } else {
    float m1 = 0.f, m2 = 0.f;
    for (int r = begin; r < end; ++r) {
      const int i = r - begin, s = i % kStages;
      mbar_wait(&full[s], (i / kStages) & 1);
      for (int e = threadIdx.x; e < kLen; e += 128) {
        const float v = buf[s][e];
        m1 += v;
        m2 += v * v;
      }
      mbar_arrive(&empty[s]);
    }
    out[(size_t)blockIdx.x * 256 + threadIdx.x] = m1;
    out[(size_t)blockIdx.x * 256 + 128 + threadIdx.x] = m2;
  }
}

void launch_row_moments(const float* in, float* out, const int* seg, int segments, cudaStream_t st) {
  row_moments<<<segments, 160, 0, st>>>(in, out, seg, 0.5f);
}
