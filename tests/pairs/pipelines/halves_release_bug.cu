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

constexpr int kStages = 4;
constexpr int kHalf = 512;

__global__ void __launch_bounds__(96) complex_norm(const float* __restrict__ in, float* __restrict__ out, int frames) {
  __shared__ alignas(128) float st[kStages][2 * kHalf];
  __shared__ ClusterBarrier full[kStages], empty[kStages];
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      full[i].init(1);
      empty[i].init(64);
    }
    fence_barrier_init();
  }
  __syncthreads();
  const int warp = threadIdx.x / 32;
  if (warp == 2) {
    if (threadIdx.x % 32 == 0) {
      uint32_t ph = 1;
      int s = 0;
      for (int f = blockIdx.x; f < frames; f += gridDim.x) {
        empty[s].wait(ph);
        full[s].arrive_and_expect_tx(sizeof(st[0]));
        tma_load_1d(st[s], in + (size_t)f * 2 * kHalf, sizeof(st[0]), &full[s]);
        if (++s == kStages) {
          s = 0;
          ph ^= 1;
        }
      }
    }
    return;
  }
  uint32_t ph = 0;
  int s = 0;
  for (int f = blockIdx.x; f < frames; f += gridDim.x) {
    full[s].wait(ph);
    float re = 0.f, im = 0.f;
    for (int e = threadIdx.x; e < kHalf; e += 64) re += st[s][e] * st[s][e];
    empty[s].arrive();
    for (int e = threadIdx.x; e < kHalf; e += 64) im += st[s][kHalf + e] * st[s][kHalf + e];
    out[(size_t)f * 64 + threadIdx.x] = sqrtf(re + im);
    if (++s == kStages) {
      s = 0;
      ph ^= 1;
    }
  }
}

void launch_complex_norm(const float* in, float* out, int frames, cudaStream_t st) {
  complex_norm<<<264, 96, 0, st>>>(in, out, frames);
}
