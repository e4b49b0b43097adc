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

constexpr int kStages = 4;

__global__ void __launch_bounds__(160) dequant(const uint8_t* __restrict__ codes, const float* __restrict__ lut_g, float* __restrict__ out, int tiles) {
  __shared__ uint8_t buf[kStages][512];
  __shared__ float lut[256];
  __shared__ uint64_t full[kStages], empty[kStages];
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      mbar_init(&full[s], 32);
      mbar_init(&empty[s], 128);
    }
  }
  __syncthreads();
  if (threadIdx.x < 128) {
    lut[threadIdx.x] = lut_g[threadIdx.x];
    lut[threadIdx.x + 128] = lut_g[threadIdx.x + 128];
  }
  if (threadIdx.x >= 128) {
    const int lane = threadIdx.x - 128;
    int i = 0;
    for (int t = blockIdx.x; t < tiles; t += gridDim.x, ++i) {
      const int s = i % kStages;
      mbar_wait(&empty[s], ((i / kStages) & 1) ^ 1);
      for (int e = lane; e < 512; e += 32) buf[s][e] = codes[(size_t)t * 512 + e];
      mbar_arrive(&full[s]);
    }
  } else {
    int i = 0;
    for (int t = blockIdx.x; t < tiles; t += gridDim.x, ++i) {
      const int s = i % kStages;
      mbar_wait(&full[s], (i / kStages) & 1);
      float v[4];
      for (int j = 0; j < 4; ++j) v[j] = lut[buf[s][threadIdx.x + 128 * j]];
      mbar_arrive(&empty[s]);
      for (int j = 0; j < 4; ++j) out[(size_t)t * 512 + threadIdx.x + 128 * j] = v[j];
    }
  }
}

void launch_dequant(const uint8_t* codes, const float* lut, float* out, int tiles, cudaStream_t st) {
  dequant<<<264, 160, 0, st>>>(codes, lut, out, tiles);
}
