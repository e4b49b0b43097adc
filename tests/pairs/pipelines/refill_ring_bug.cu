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

constexpr int kStages = 3;
constexpr int kVec = 128;

struct Shared {
  float4 q[kStages][kVec];
  uint64_t full[kStages];
  uint64_t empty[kStages];
};

__global__ void __launch_bounds__(192) stream_energy(const float4* src, float* dst, int n_tiles, int chunk) {
  __shared__ Shared sh;
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      mbar_init(&sh.full[s], 64);
      mbar_init(&sh.empty[s], 128);
    }
  }
  __syncthreads();
  const int begin = blockIdx.x * chunk;
  const int end = min(n_tiles, begin + chunk);
  if (threadIdx.x < 64) {
    int s = 0;
    uint32_t ph = 1;
    for (int t = begin; t < end; ++t) {
      sh.q[s][threadIdx.x] = src[(size_t)t * kVec + threadIdx.x];
      sh.q[s][threadIdx.x + 64] = src[(size_t)t * kVec + threadIdx.x + 64];
      mbar_arrive(&sh.full[s]);
      if (++s == kStages) {
        s = 0;
        ph ^= 1;
      }
    }
  } else {
    const int c = threadIdx.x - 64;
    int s = 0;
    uint32_t ph = 0;
    float e = 0.f;
    for (int t = begin; t < end; ++t) {
      mbar_wait(&sh.full[s], ph);
      const float4 v = sh.q[s][c];
      e += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
      mbar_arrive(&sh.empty[s]);
      if (++s == kStages) {
        s = 0;
        ph ^= 1;
      }
    }
    dst[blockIdx.x * 128 + c] = e;
  }
}

void launch_stream_energy(const float4* src, float* dst, int n_tiles, cudaStream_t st) {
  const int blocks = 132;
  const int chunk = (n_tiles + blocks - 1) / blocks;
  stream_energy<<<blocks, 192, 0, st>>>(src, dst, n_tiles, chunk);
}
