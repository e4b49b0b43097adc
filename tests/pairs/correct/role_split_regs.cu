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
template <int R> __device__ __forceinline__ void reg_dealloc() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(R));
#endif
}
template <int R> __device__ __forceinline__ void reg_alloc() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(R));
#endif
}

constexpr int kStages = 2;
constexpr int kQ = 128, kD = 16;

__global__ void __launch_bounds__(384, 1) attn_scores(const float* Q, const float* K, float* O, const int* cu_seqlens, int max_chunk) {
  __shared__ alignas(128) float sq[2][kQ * kD];
  __shared__ alignas(128) float sk[kStages][kD * 32];
  __shared__ ClusterBarrier q_full, full[kStages], empty[kStages];
  const int wg = threadIdx.x / 128;
  if (threadIdx.x == 0) {
    q_full.init(1);
    for (int s = 0; s < kStages; ++s) { full[s].init(1); empty[s].init(2); }
    fence_barrier_init();
  }
  __syncthreads();
  const int begin = cu_seqlens[blockIdx.y];
  const int end = min(cu_seqlens[blockIdx.y + 1], begin + max_chunk);
  const int nblk = (end - begin) / 32;
  if (wg == 0) {
    reg_dealloc<40>();
    if (threadIdx.x == 0) {
      q_full.arrive_and_expect_tx(sizeof(sq));
      tma_load_1d(sq, Q + (size_t)blockIdx.x * 2 * kQ * kD, sizeof(sq), &q_full);
      uint32_t ph = 1;
      for (int b = 0, s = 0; b < nblk; ++b) {
        empty[s].wait(ph);
        full[s].arrive_and_expect_tx(sizeof(sk[0]));
        tma_load_1d(sk[s], K + (size_t)(begin + b * 32) * kD, sizeof(sk[0]), &full[s]);
        if (++s == kStages) { s = 0; ph ^= 1; }
      }
    }
  } else {
    reg_alloc<232>();
    const int t = threadIdx.x & 127;
    q_full.wait(0);
    float q[kD];
    for (int d = 0; d < kD; ++d) q[d] = sq[wg - 1][t * kD + d];
    float best = -1e30f, sum = 0.f;
    uint32_t ph = 0;
    for (int b = 0, s = 0; b < nblk; ++b) {
      full[s].wait(ph);
      for (int j = 0; j < 32; ++j) {
        float dot = 0.f;
        for (int d = 0; d < kD; ++d) dot += q[d] * sk[s][j * kD + d];
        const float nm = fmaxf(best, dot);
        sum = sum * __expf(best - nm) + __expf(dot - nm);
        best = nm;
      }
      bar_sync(wg, 128);
      if (t == 0) empty[s].arrive();
      if (++s == kStages) { s = 0; ph ^= 1; }
    }
    O[((size_t)blockIdx.y * gridDim.x + blockIdx.x) * 256 + (wg - 1) * 128 + t] = best + __logf(sum);
  }
}

void launch_attn(const float* Q, const float* K, float* O, const int* cu_seqlens, int q_tiles, int batch, int max_chunk, cudaStream_t st) {
  attn_scores<<<dim3(q_tiles, batch), 384, 0, st>>>(Q, K, O, cu_seqlens, max_chunk);
}
