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

constexpr int kStages = 4;
constexpr int kChunk = 128;
constexpr int kConsumerWarps = 4;

struct __align__(16) Smem {
  float val[kStages][kChunk];
  int col[kStages][kChunk];
  uint64_t full[kStages];
  uint64_t empty[kStages];
};

__global__ void __launch_bounds__(32 + 32 * kConsumerWarps)
csr_spmv(const int* __restrict__ row_ptr, const int* __restrict__ cols, const float* __restrict__ vals,
         const float* __restrict__ x, float* y, int rows) {
  __shared__ Smem sm;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      mbar_init(&sm.full[s], 1);
      mbar_init(&sm.empty[s], kConsumerWarps);
    }
  }
  __syncthreads();

  int stage = 0;
  uint32_t phase = 0;
  if (warp == kConsumerWarps) {
    for (int r = blockIdx.x; r < rows; r += gridDim.x) {
      const int end = row_ptr[r + 1];
      for (int p = row_ptr[r]; p < end; p += kChunk) {
        mbar_wait(&sm.empty[stage], phase ^ 1);
        for (int e = lane; e < kChunk; e += 32) {
          const bool ok = p + e < end;
          sm.val[stage][e] = ok ? vals[p + e] : 0.f;
          sm.col[stage][e] = ok ? cols[p + e] : 0;
        }
        __syncwarp();
        if (lane == 0) mbar_arrive(&sm.full[stage]);
        if (++stage == kStages) { stage = 0; phase ^= 1; }
      }
    }
  } else {
    for (int r = blockIdx.x; r < rows; r += gridDim.x) {
      const int chunks = (row_ptr[r + 1] - row_ptr[r] + kChunk - 1) / kChunk;
      float acc = 0.f;
      for (int c = 0; c < chunks; ++c) {
        mbar_wait(&sm.full[stage], phase);
        acc += sm.val[stage][threadIdx.x] * x[sm.col[stage][threadIdx.x]];
        __syncwarp();
        if (lane == 0) mbar_arrive(&sm.empty[stage]);
        if (++stage == kStages) { stage = 0; phase ^= 1; }
      }
      for (int o = 16; o > 0; o >>= 1) acc += __shfl_xor_sync(0xffffffffu, acc, o);
      if (lane == 0) atomicAdd(&y[r], acc);
    }
  }
}

void launch_csr_spmv(const int* row_ptr, const int* cols, const float* vals, const float* x, float* y, int rows, cudaStream_t st) {
  cudaMemsetAsync(y, 0, sizeof(float) * rows, st);
  int grid = rows < 264 ? rows : 264;
  csr_spmv<<<grid, 160, 0, st>>>(row_ptr, cols, vals, x, y, rows);
}
