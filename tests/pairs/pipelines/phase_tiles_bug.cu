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

constexpr int kStages = 4;
constexpr int kLen = 256;

__global__ void __launch_bounds__(288) tile_sums(const float* in, float* out, int tiles, int k_iters) {
  __shared__ float buf[kStages][kLen];
  __shared__ ClusterBarrier full[kStages];
  __shared__ ClusterBarrier empty[kStages];
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      full[s].init(32);
      empty[s].init(256);
    }
  }
  __syncthreads();
  if (threadIdx.x >= 256) {
    const int lane = threadIdx.x - 256;
    uint32_t it = 0;
    for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
      for (int k = 0; k < k_iters; ++k, ++it) {
        const uint32_t s = it % kStages;
        empty[s].wait(((it / kStages) & 1) ^ 1);
        for (int e = lane; e < kLen; e += 32) buf[s][e] = in[((size_t)t * k_iters + k) * kLen + e];
        full[s].arrive();
      }
    }
  } else {
    for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
      uint32_t it = 0;
      float acc = 0.f;
      for (int k = 0; k < k_iters; ++k, ++it) {
        const uint32_t s = it % kStages;
        full[s].wait((it / kStages) & 1);
        acc += buf[s][255 - threadIdx.x];
        empty[s].arrive();
      }
      out[(size_t)t * 256 + threadIdx.x] = acc;
    }
  }
}

void launch_tile_sums(const float* in, float* out, int tiles, cudaStream_t st) {
  const int k_iters = 12;
  tile_sums<<<132, 288, 0, st>>>(in, out, tiles, k_iters);
}
