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
__device__ __forceinline__ void bar_sync(int id, int n) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(n) : "memory"); }
__device__ __forceinline__ void bar_arrive(int id, int n) { asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(n) : "memory"); }

constexpr int kStages = 4;
constexpr int kTile = 256;

__global__ void __launch_bounds__(288) pingpong_kernel(const float* in, float* out, int tiles) {
  __shared__ float buf[kStages][kTile];
  __shared__ float scratch[128];
  __shared__ uint64_t full[kStages], empty[kStages];
  const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      mbar_init(&full[s], 32);
      mbar_init(&empty[s], 128);
    }
  }
  __syncthreads();
  const int first = blockIdx.x * tiles;
  if (warp == 8) {
    for (int t = 0; t < tiles; ++t) {
      const int s = t % kStages;
      mbar_wait(&empty[s], ((t / kStages) & 1) ^ 1);
      const float* src = in + (size_t)(first + t) * kTile;
      for (int e = lane; e < kTile; e += 32) buf[s][e] = src[e];
      mbar_arrive(&full[s]);
    }
    return;
  }
  const int wg = warp >> 2;
  const int t128 = threadIdx.x & 127;
  const int rounds = (tiles + 1) / 2;
  if (wg == 1) bar_arrive(2, 256);
  for (int r = 0; r < rounds; ++r) {
    const int t = 2 * r + wg;
    float a = 0.f, b = 0.f;
    if (t < tiles) {
      const int s = t % kStages;
      mbar_wait(&full[s], (t / kStages) & 1);
      a = buf[s][t128];
      b = buf[s][kTile - 1 - t128];
      mbar_arrive(&empty[s]);
    }
    bar_sync(2 + wg, 256);
    scratch[t128] = a * b;
    bar_sync(4 + wg, 128);
    float v = scratch[t128] + scratch[t128 ^ 64] + scratch[127 - t128];
    if (wg == 0) {
      bar_arrive(3, 256);
    } else if (r + 1 < rounds) {
      bar_arrive(2, 256);
    }
    if (t < tiles) out[(size_t)(first + t) * 128 + t128] = v;
  }
}

void run_pingpong(const float* in, float* out, int blocks, int tiles_per_block, cudaStream_t st) {
  pingpong_kernel<<<blocks, 288, 0, st>>>(in, out, tiles_per_block);
}

int main() {
  float *in, *out;
  const int blocks = 132, tiles = 37;
  cudaMalloc(&in, sizeof(float) * blocks * tiles * kTile);
  cudaMalloc(&out, sizeof(float) * blocks * tiles * 128);
  run_pingpong(in, out, blocks, tiles, 0);
  return cudaDeviceSynchronize() != cudaSuccess;
}
