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

constexpr int kSlots = 2;
constexpr int kStages = 3;
constexpr int kLen = 256;

__global__ void __launch_bounds__(192) sched_kernel(const float* in, float* out, unsigned* ticket, unsigned num_tiles, const int* tile_iters, int max_iters) {
  __shared__ unsigned slot_tile[kSlots];
  __shared__ uint64_t slot_full[kSlots], slot_empty[kSlots];
  __shared__ float data[kStages][kLen];
  __shared__ uint64_t full[kStages], empty[kStages];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    for (int i = 0; i < kSlots; ++i) {
      mbar_init(&slot_full[i], 1);
      mbar_init(&slot_empty[i], 32 + 128);
    }
    for (int i = 0; i < kStages; ++i) {
      mbar_init(&full[i], 32);
      mbar_init(&empty[i], 128);
    }
  }
  __syncthreads();

  if (warp == 5) {
    if (lane == 0) {
      unsigned n = 0, t;
      do {
        const unsigned s = n % kSlots;
        mbar_wait(&slot_empty[s], ((n / kSlots) & 1) ^ 1);
        t = atomicAdd(ticket, 1u);
        slot_tile[s] = t;
        mbar_arrive(&slot_full[s]);
        ++n;
      } while (t < num_tiles);
    }
  } else if (warp == 4) {
    unsigned n = 0, it = 0;
    while (true) {
      const unsigned s = n % kSlots;
      mbar_wait(&slot_full[s], (n / kSlots) & 1);
      const unsigned t = slot_tile[s];
      mbar_arrive(&slot_empty[s]);
      ++n;
      if (t >= num_tiles) break;
      const int iters = min(tile_iters[t], max_iters);
      for (int k = 0; k < iters; ++k, ++it) {
        const unsigned st = it % kStages;
        mbar_wait(&empty[st], ((it / kStages) & 1) ^ 1);
        for (int e = lane; e < kLen; e += 32) data[st][e] = in[((size_t)t * max_iters + k) * kLen + e];
        mbar_arrive(&full[st]);
      }
    }
  } else {
    unsigned n = 0, it = 0;
    while (true) {
      const unsigned s = n % kSlots;
      mbar_wait(&slot_full[s], (n / kSlots) & 1);
      const unsigned t = slot_tile[s];
      mbar_arrive(&slot_empty[s]);
      ++n;
      if (t >= num_tiles) break;
      float acc = 0.f;
      const int iters = min(tile_iters[t], max_iters);
      for (int k = 0; k < iters; ++k, ++it) {
        const unsigned st = it % kStages;
        mbar_wait(&full[st], (it / kStages) & 1);
        acc += data[st][threadIdx.x] - data[st][kLen - 1 - threadIdx.x];
        mbar_arrive(&empty[st]);
      }
      out[(size_t)t * 128 + threadIdx.x] = acc;
    }
  }
}

void launch_sched(const float* in, float* out, unsigned* ticket, unsigned tiles, const int* tile_iters, int max_iters, cudaStream_t st) {
  cudaMemsetAsync(ticket, 0, sizeof(unsigned), st);
  sched_kernel<<<264, 192, 0, st>>>(in, out, ticket, tiles, tile_iters, max_iters);
}
