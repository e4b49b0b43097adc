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

constexpr int kStages = 2, kRows = 16, kDim = 64;
constexpr uint32_t kBytes = kRows * kDim * sizeof(float);

__global__ void __launch_bounds__(96) decode_attn(const float* q, const float* Kc, const float* Vc, float* o, const int* tokens, int split_len, int max_len) {
  __shared__ alignas(128) float sK[kStages][kRows][kDim];
  __shared__ alignas(128) float sV[kStages][kRows][kDim];
  __shared__ float sq[kDim];
  __shared__ float sp[2][kRows];
  __shared__ ClusterBarrier fk[kStages], fv[kStages], ek[kStages], ev[kStages];
  if (threadIdx.x < kDim) sq[threadIdx.x] = q[blockIdx.y * kDim + threadIdx.x];
  if (threadIdx.x == 64) {
    for (int s = 0; s < kStages; ++s) {
      fk[s].init(1);
      fv[s].init(1);
      ek[s].init(64);
      ev[s].init(64);
    }
    fence_barrier_init();
  }
  __syncthreads();
  const int begin = blockIdx.x * split_len;
  const int end = min(tokens[blockIdx.y], begin + split_len);
  const int nb = end > begin ? (end - begin + kRows - 1) / kRows : 0;
  const size_t base = ((size_t)blockIdx.y * max_len + begin) * kDim;
  if (threadIdx.x >= 64) {
    if (threadIdx.x == 64) {
      for (int b = 0; b < nb; ++b) {
        const int s = b % kStages;
        const uint32_t ph = ((b / kStages) & 1) ^ 1;
        ek[s].wait(ph);
        fk[s].arrive_and_expect_tx(kBytes);
        tma_load_1d(sK[s], Kc + base + (size_t)b * kRows * kDim, kBytes, &fk[s]);
        ev[s].wait(ph);
        fv[s].arrive_and_expect_tx(kBytes);
        tma_load_1d(sV[s], Vc + base + (size_t)b * kRows * kDim, kBytes, &fv[s]);
      }
    }
    return;
  }
  float acc = 0.f, den = 0.f;
  for (int b = 0; b <= nb; ++b) {
    if (b < nb) {
      const int s = b % kStages;
      fk[s].wait((b / kStages) & 1);
      if (threadIdx.x < kRows) {
        float d = 0.f;
        for (int j = 0; j < kDim; ++j) d += sq[j] * sK[s][threadIdx.x][j];
        sp[b & 1][threadIdx.x] = begin + b * kRows + (int)threadIdx.x < end ? __expf(d) : 0.f;
      }
      ek[s].arrive();
    }
    if (b > 0) {
      const int pb = b - 1, s = pb % kStages;
      fv[s].wait((pb / kStages) & 1);
      for (int r = 0; r < kRows; ++r) {
        acc += sp[pb & 1][r] * sV[s][r][threadIdx.x];
        den += sp[pb & 1][r];
      }
      ev[s].arrive();
    }
    asm volatile("bar.sync 1, 64;" ::: "memory");
  }
  o[((size_t)blockIdx.y * gridDim.x + blockIdx.x) * kDim + threadIdx.x] = nb ? acc / den : 0.f;
}

void launch_decode(const float* q, const float* K, const float* V, float* o, const int* tokens, int batch, int max_len, cudaStream_t st) {
  const int split = 256;
  decode_attn<<<dim3((max_len + split - 1) / split, batch), 96, 0, st>>>(q, K, V, o, tokens, split, max_len);
}
