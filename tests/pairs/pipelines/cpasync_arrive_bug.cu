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
__device__ __forceinline__ void cp_async16(void* dst, const void* src) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(smem_u32(dst)), "l"(src) : "memory");
}
__device__ __forceinline__ void cp_async_arrive(uint64_t* b) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(smem_u32(b)) : "memory");
}

constexpr int kStages = 4;
constexpr int kLen = 256;

__global__ void __launch_bounds__(64 + 128) paged_sum(const float* __restrict__ pages, const int* __restrict__ table, const int* __restrict__ lens, float* __restrict__ out, int max_pages) {
  __shared__ __align__(16) float buf[kStages][kLen];
  __shared__ uint64_t full[kStages], empty[kStages];
  if (threadIdx.x < kStages) {
    mbar_init(&full[threadIdx.x], 64);
    mbar_init(&empty[threadIdx.x], 128);
  }
  __syncthreads();
  const int np = min(lens[blockIdx.x], max_pages);
  int s = 0;
  uint32_t ph = 0;
  if (threadIdx.x < 64) {
    for (int p = 0; p < np; ++p) {
      const float* src = pages + (size_t)table[blockIdx.x * max_pages + p] * kLen;
      mbar_wait(&empty[s], ph ^ 1);
      cp_async16(&buf[s][threadIdx.x * 4], src + threadIdx.x * 4);
      mbar_arrive(&full[s]);
      if (++s == kStages) {
        s = 0;
        ph ^= 1;
      }
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
  } else {
    const int t = threadIdx.x - 64;
    float a = 0.f, b = 0.f;
    for (int p = 0; p < np; ++p) {
      mbar_wait(&full[s], ph);
      a += buf[s][t];
      b += buf[s][t + 128];
      mbar_arrive(&empty[s]);
      if (++s == kStages) {
        s = 0;
        ph ^= 1;
      }
    }
    out[(size_t)blockIdx.x * kLen + t] = a;
    out[(size_t)blockIdx.x * kLen + 128 + t] = b;
  }
}

void launch_paged_sum(const float* pages, const int* table, const int* lens, float* out, int batch, int max_pages, cudaStream_t st) {
  paged_sum<<<batch, 192, 0, st>>>(pages, table, lens, out, max_pages);
}
