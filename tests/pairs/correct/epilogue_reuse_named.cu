#include <cstdint>
#include <cuda_runtime.h>

struct ClusterBarrier {
  uint64_t v_;
  __device__ uint32_t addr() const { return (uint32_t)__cvta_generic_to_shared(&v_); }
  __device__ void init(uint32_t n) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(addr()), "r"(n) : "memory"); }
  __device__ void arrive() { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(addr()) : "memory"); }
  __device__ void arrive_and_expect_tx(uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(addr()), "r"(bytes) : "memory");
  }
  __device__ void wait(uint32_t parity) {
    asm volatile(
        "{\n .reg .pred P1;\n"
        "LAB_WAIT:\n"
        " mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n"
        " @P1 bra DONE;\n"
        " bra LAB_WAIT;\n"
        "DONE:\n}\n" ::"r"(addr()), "r"(parity) : "memory");
  }
};
__device__ __forceinline__ void tma_load_1d(void* dst, const void* src, uint32_t bytes, const void* bar) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   (uint32_t)__cvta_generic_to_shared(dst)), "l"(src), "r"(bytes), "r"((uint32_t)__cvta_generic_to_shared(bar))
               : "memory");
}
__device__ __forceinline__ void fence_barrier_init() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ __forceinline__ void fence_view_async() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ __forceinline__ void bar_sync(int id, int n) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(n) : "memory"); }
__device__ __forceinline__ void bar_arrive(int id, int n) { asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(n) : "memory"); }

constexpr int kStages = 4;
constexpr int kStageElems = 2048;

__global__ void __launch_bounds__(384) gemm_like(const float* __restrict__ in, float* __restrict__ out, int k_tiles) {
  extern __shared__ __align__(128) uint8_t raw[];
  float* stages = reinterpret_cast<float*>(raw);
  ClusterBarrier* full = reinterpret_cast<ClusterBarrier*>(raw + kStages * kStageElems * sizeof(float));
  ClusterBarrier* empty = full + kStages;
  const int wg = threadIdx.x / 128;
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      full[s].init(1);
      empty[s].init(2);
    }
    fence_barrier_init();
  }
  __syncthreads();
  const float* src = in + (size_t)blockIdx.x * k_tiles * kStageElems;
  if (wg == 0) {
    if (threadIdx.x == 0) {
      const int pre = k_tiles < kStages ? k_tiles : kStages;
      for (int k = 0; k < pre; ++k) {
        full[k].arrive_and_expect_tx(kStageElems * sizeof(float));
        tma_load_1d(stages + k * kStageElems, src + (size_t)k * kStageElems, kStageElems * sizeof(float), &full[k]);
      }
      for (int k = pre; k < k_tiles; ++k) {
        const int s = k % kStages;
        empty[s].wait(((k / kStages) & 1) ^ 1);
        full[s].arrive_and_expect_tx(kStageElems * sizeof(float));
        tma_load_1d(stages + s * kStageElems, src + (size_t)k * kStageElems, kStageElems * sizeof(float), &full[s]);
      }
    }
  } else {
    const int t = threadIdx.x - 128;
    float acc[8] = {};
    for (int k = 0; k < k_tiles; ++k) {
      const int s = k % kStages;
      full[s].wait((k / kStages) & 1);
      const float* p = stages + s * kStageElems;
      for (int j = 0; j < 8; ++j) acc[j] += p[j * 256 + t] * p[j * 256 + (255 - t)];
      bar_sync(1 + wg, 128);
      if (t % 128 == 0) empty[s].arrive();
    }
    bar_sync(1, 256);
    for (int j = 0; j < 8; ++j) stages[t * 8 + j] = acc[j];
    bar_sync(1, 256);
    for (int j = 0; j < 8; ++j) out[(size_t)blockIdx.x * 2048 + j * 256 + t] = stages[j * 256 + t];
  }
}

void launch_gemm_like(const float* in, float* out, int blocks, int k_tiles, cudaStream_t st) {
  const int smem = kStages * kStageElems * sizeof(float) + 2 * kStages * sizeof(uint64_t);
  cudaFuncSetAttribute(gemm_like, cudaFuncAttributeMaxDynamicSharedMemorySize, smem);
  gemm_like<<<blocks, 384, smem, st>>>(in, out, k_tiles);
}
