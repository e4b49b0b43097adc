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
__device__ __forceinline__ void bar_sync(int id, int n) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(n) : "memory"); }
__device__ __forceinline__ void bar_arrive(int id, int n) { asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(n) : "memory"); }

constexpr int kStages = 3;

__global__ void __launch_bounds__(288) grouped_scan(const float* in, float* out, const int* tile_cnt) {
  __shared__ float buf[kStages][256];
  __shared__ float red[2][128];
  __shared__ ClusterBarrier full[kStages], empty[kStages];
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      full[s].init(32);
      empty[s].init(256);
    }
  }
  __syncthreads();
  const int cnt = tile_cnt[blockIdx.x];
  const float* src = in + (size_t)blockIdx.x * 4096;
  if (threadIdx.x >= 256) {
    for (int i = 0; i < cnt; ++i) {
      const int s = i % kStages;
      empty[s].wait(((i / kStages) & 1) ^ 1);
      for (int e = threadIdx.x - 256; e < 256; e += 32) buf[s][e] = src[(i % 16) * 256 + e];
      full[s].arrive();
    }
  } else {
    const int wg = threadIdx.x >> 7, t = threadIdx.x & 127;
    const int id = 1 + wg;
    float total = 0.f;
    for (int i = 0; i < cnt; ++i) {
      const int s = i % kStages;
      full[s].wait((i / kStages) & 1);
      const float v = buf[s][threadIdx.x];
      empty[s].arrive();
      red[wg][t] = v;
      bar_sync(id, 128);
      total += v * red[wg][t ^ 64];
      bar_sync(id, 128);
    }
    out[(size_t)blockIdx.x * 256 + threadIdx.x] = total;
  }
}

void launch_grouped_scan(const float* in, float* out, const int* tile_cnt, int blocks, cudaStream_t st) {
  grouped_scan<<<blocks, 288, 0, st>>>(in, out, tile_cnt);
}
