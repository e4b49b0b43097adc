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

constexpr int kSlots = 2, kStages = 4, kLen = 128;

__global__ void __launch_bounds__(192) moe_rows(const float* tok, float* out, int* ticket, int experts, const int* offs) {
  __shared__ int slot[kSlots];
  __shared__ uint64_t sfull[kSlots], sempty[kSlots];
  __shared__ float rows[kStages][kLen];
  __shared__ uint64_t full[kStages], empty[kStages];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    for (int i = 0; i < kSlots; ++i) {
      mbar_init(&sfull[i], 1);
      mbar_init(&sempty[i], 128);
    }
    for (int i = 0; i < kStages; ++i) {
      mbar_init(&full[i], 32);
      mbar_init(&empty[i], 128);
    }
  }
  __syncthreads();
  if (warp == 5) {
    if (lane != 0) return;
    for (int n = 0;; ++n) {
      const int s = n % kSlots;
      mbar_wait(&sempty[s], ((n / kSlots) & 1) ^ 1);
      const int e = atomicAdd(ticket, 1);
      slot[s] = e;
      mbar_arrive(&sfull[s]);
      if (e >= experts) break;
    }
  } else if (warp == 4) {
    int it = 0;
    for (int n = 0;; ++n) {
      const int s = n % kSlots;
      mbar_wait(&sfull[s], (n / kSlots) & 1);
      const int e = slot[s];
      if (e >= experts) break;
      for (int r = offs[e]; r < offs[e + 1]; ++r, ++it) {
        const int st = it % kStages;
        mbar_wait(&empty[st], ((it / kStages) & 1) ^ 1);
        for (int c = lane; c < kLen; c += 32) rows[st][c] = tok[(size_t)r * kLen + c];
        mbar_arrive(&full[st]);
      }
    }
  } else {
    int it = 0;
    for (int n = 0;; ++n) {
      const int s = n % kSlots;
      mbar_wait(&sfull[s], (n / kSlots) & 1);
      const int e = slot[s];
      mbar_arrive(&sempty[s]);
      if (e >= experts) break;
      float acc = 0.f;
      for (int r = offs[e]; r < offs[e + 1]; ++r, ++it) {
        const int st = it % kStages;
        mbar_wait(&full[st], (it / kStages) & 1);
        acc += rows[st][kLen - 1 - threadIdx.x];
        mbar_arrive(&empty[st]);
      }
      out[(size_t)e * kLen + threadIdx.x] = acc;
    }
  }
}

void launch_moe_rows(const float* tok, float* out, int* ticket, int experts, const int* offs, cudaStream_t st) {
  cudaMemsetAsync(ticket, 0, sizeof(int), st);
  moe_rows<<<132, 192, 0, st>>>(tok, out, ticket, experts, offs);
}
