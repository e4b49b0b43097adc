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
__device__ __forceinline__ void cp_async_arrive_noinc(uint64_t* b) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(smem_u32(b)) : "memory");
}

constexpr int kStages = 5;
constexpr int kProd = 64;
constexpr int kCons = 128;
constexpr int kRow = 512;

__global__ void __launch_bounds__(kProd + kCons) gather_mean(const float* __restrict__ table, const int* __restrict__ ids,
                                                             const int* __restrict__ offsets, float* __restrict__ out, int bags) {
  __shared__ __align__(16) float rows[kStages][kRow];
  __shared__ uint64_t full[kStages];
  __shared__ uint64_t empty[kStages];
  if (threadIdx.x < kStages) {
    mbar_init(&full[threadIdx.x], kProd);
    mbar_init(&empty[threadIdx.x], kCons);
  }
  __syncthreads();
  uint32_t slot = 0, par = 0;
  if (threadIdx.x < kProd) {
    for (int b = blockIdx.x; b < bags; b += gridDim.x) {
      for (int i = offsets[b]; i < offsets[b + 1]; ++i) {
        const float* src = table + (size_t)ids[i] * kRow;
        mbar_wait(&empty[slot], par ^ 1u);
        for (int v = threadIdx.x; v < kRow / 4; v += kProd) cp_async16(&rows[slot][v * 4], src + v * 4);
        cp_async_arrive_noinc(&full[slot]);
        if (++slot == kStages) {
          slot = 0;
          par ^= 1u;
        }
      }
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
  } else {
    const int c = threadIdx.x - kProd;
    for (int b = blockIdx.x; b < bags; b += gridDim.x) {
      const int beg = offsets[b], cnt = offsets[b + 1] - beg;
      float acc[4] = {0.f, 0.f, 0.f, 0.f};
      for (int i = 0; i < cnt; ++i) {
        mbar_wait(&full[slot], par);
        for (int j = 0; j < 4; ++j) acc[j] += rows[slot][c + j * kCons];
        mbar_arrive(&empty[slot]);
        if (++slot == kStages) {
          slot = 0;
          par ^= 1u;
        }
      }
      const float inv = cnt > 0 ? 1.f / cnt : 0.f;
      for (int j = 0; j < 4; ++j) out[(size_t)b * kRow + c + j * kCons] = acc[j] * inv;
    }
  }
}

void embedding_bag_mean(const float* table, const int* ids, const int* offsets, float* out, int bags, cudaStream_t st) {
  const int grid = bags < 396 ? bags : 396;
  gather_mean<<<grid, kProd + kCons, 0, st>>>(table, ids, offsets, out, bags);
}
