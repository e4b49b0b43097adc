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

constexpr int kStages = 4;
constexpr int kConsumers = 256;

__global__ void __launch_bounds__(kConsumers + 32) mirror_mix(const float* in, float* out, int tiles, int chunk) {
  __shared__ float st[kStages][kConsumers];
  __shared__ float xch[2][kConsumers];
  __shared__ uint64_t full[kStages], empty[kStages];
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      mbar_init(&full[s], 1);
      mbar_init(&empty[s], kConsumers);
    }
  }
  __syncthreads();
  const int begin = blockIdx.x * chunk, end = min(tiles, begin + chunk);
  if (threadIdx.x >= kConsumers) {
    const int lane = threadIdx.x - kConsumers;
    for (int t = begin; t < end; ++t) {
      const int i = t - begin, s = i % kStages;
      mbar_wait(&empty[s], ((i / kStages) & 1) ^ 1);
      for (int e = lane; e < kConsumers; e += 32) st[s][e] = in[(size_t)t * kConsumers + e];
      __syncwarp();
      if (lane == 0) mbar_arrive(&full[s]);
    }
  } else {
    for (int t = begin; t < end; ++t) {
      const int i = t - begin, s = i % kStages;
      mbar_wait(&full[s], (i / kStages) & 1);
      const float v = st[s][threadIdx.x];
      mbar_arrive(&empty[s]);
      xch[i & 1][threadIdx.x] = v * v;
      bar_sync(1, kConsumers / 2);
      out[(size_t)t * kConsumers + threadIdx.x] = v + xch[i & 1][kConsumers - 1 - threadIdx.x];
    }
  }
}

void launch_mirror_mix(const float* in, float* out, int tiles, cudaStream_t st) {
  const int blocks = 132;
  mirror_mix<<<blocks, kConsumers + 32, 0, st>>>(in, out, tiles, (tiles + blocks - 1) / blocks);
}
