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

constexpr int kStages = 6;
constexpr int kBlockK = 512;

struct PipeState {
  uint32_t index = 0, phase = 0;
  __device__ void operator++(int) {
    if (++index == kStages) {
      index = 0;
      phase ^= 1;
    }
  }
};

__global__ void __launch_bounds__(160) persistent_gemv(const float* __restrict__ A, const float* __restrict__ x, float* __restrict__ y, int rows, int k_iters) {
  __shared__ alignas(128) float sA[kStages][kBlockK];
  __shared__ alignas(128) float sX[kStages][kBlockK];
  __shared__ ClusterBarrier full[kStages], empty[kStages];
  __shared__ float part[4];
  const int warp = threadIdx.x / 32;
  if (warp == 0 && (threadIdx.x & 31) == 0) {
    for (int s = 0; s < kStages; ++s) {
      full[s].init(1);
      empty[s].init(4);
    }
    fence_barrier_init();
  }
  __syncthreads();
  PipeState ps;
  if (warp == 4) {
    if ((threadIdx.x & 31) == 0) {
      const int my_tiles = blockIdx.x < rows ? (rows - 1 - blockIdx.x) / gridDim.x + 1 : 0;
      const int total = my_tiles * k_iters;
      for (int it = 0; it < total; ++it, ps++) {
        const int row = blockIdx.x + (it / k_iters) * gridDim.x;
        const int k = (it % k_iters) * kBlockK;
        empty[ps.index].wait(ps.phase ^ 1);
        full[ps.index].arrive_and_expect_tx(2 * kBlockK * sizeof(float));
        tma_load_1d(sA[ps.index], A + (size_t)row * k_iters * kBlockK + k, kBlockK * sizeof(float), &full[ps.index]);
        tma_load_1d(sX[ps.index], x + k, kBlockK * sizeof(float), &full[ps.index]);
      }
    }
  } else {
    for (int row = blockIdx.x; row < rows; row += gridDim.x) {
      float acc = 0.f;
      for (int k = 0; k < k_iters; ++k, ps++) {
        full[ps.index].wait(ps.phase);
        for (int e = threadIdx.x; e < kBlockK; e += 128) acc += sA[ps.index][e] * sX[ps.index][e];
        __syncwarp();
        if ((threadIdx.x & 31) == 0) empty[ps.index].arrive();
      }
      for (int o = 16; o; o >>= 1) acc += __shfl_xor_sync(~0u, acc, o);
      if ((threadIdx.x & 31) == 0) part[warp] = acc;
      asm volatile("bar.sync 1, 128;" ::: "memory");
      if (threadIdx.x == 0) y[row] = part[0] + part[1] + part[2] + part[3];
      asm volatile("bar.sync 1, 128;" ::: "memory");
    }
  }
}

void launch_persistent_gemv(const float* A, const float* x, float* y, int rows, int k, cudaStream_t st) {
  persistent_gemv<<<132, 160, 0, st>>>(A, x, y, rows, k / kBlockK);
}
