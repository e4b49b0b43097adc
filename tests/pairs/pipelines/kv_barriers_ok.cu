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

constexpr int kStages = 2;
constexpr int kRows = 32, kDim = 32;
constexpr uint32_t kTileBytes = kRows * kDim * sizeof(float);

__global__ void __launch_bounds__(160) kv_mix(const float* K, const float* V, const float* q, float* o, const int* lens, int max_blocks) {
  __shared__ alignas(128) float sk[kStages][kRows * kDim];
  __shared__ alignas(128) float sv[kStages][kRows * kDim];
  __shared__ ClusterBarrier full_k[kStages], full_v[kStages], empty[kStages];
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      full_k[s].init(1);
      full_v[s].init(1);
      empty[s].init(128);
    }
    fence_barrier_init();
  }
  __syncthreads();
  const int nb = min(lens[blockIdx.x] / kRows, max_blocks);
  const size_t base = (size_t)blockIdx.x * max_blocks * kRows * kDim;
  if (threadIdx.x == 128) {
    for (int b = 0; b < nb; ++b) {
      const int s = b % kStages;
      empty[s].wait(((b / kStages) & 1) ^ 1);
      full_k[s].arrive_and_expect_tx(kTileBytes);
      tma_load_1d(sk[s], K + base + (size_t)b * kRows * kDim, kTileBytes, &full_k[s]);
      full_v[s].arrive_and_expect_tx(kTileBytes);
      tma_load_1d(sv[s], V + base + (size_t)b * kRows * kDim, kTileBytes, &full_v[s]);
    }
  } else if (threadIdx.x < 128) {
    const int d = threadIdx.x % kDim, part = threadIdx.x / kDim;
    const float qd = q[blockIdx.x * kDim + d];
    float acc = 0.f;
    for (int b = 0; b < nb; ++b) {
      const int s = b % kStages;
      const uint32_t ph = (b / kStages) & 1;
      full_k[s].wait(ph);
      float p[kRows / 4];
      for (int r = 0; r < kRows / 4; ++r) {
        float x = qd * sk[s][(part * 8 + r) * kDim + d];
        for (int off = 16; off; off >>= 1) x += __shfl_xor_sync(~0u, x, off);
        p[r] = x;
      }
      full_v[s].wait(ph);
      for (int r = 0; r < kRows / 4; ++r) acc += p[r] * sv[s][(part * 8 + r) * kDim + d];
      empty[s].arrive();
    }
    atomicAdd(&o[blockIdx.x * kDim + d], acc);
  }
}

void launch_kv_mix(const float* K, const float* V, const float* q, float* o, const int* lens, int heads, int max_len, cudaStream_t st) {
  cudaMemsetAsync(o, 0, sizeof(float) * heads * kDim, st);
  kv_mix<<<heads, 160, 0, st>>>(K, V, q, o, lens, max_len / kRows);
}
