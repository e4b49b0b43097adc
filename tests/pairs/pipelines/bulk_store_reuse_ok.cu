#include <cstdint>
#include <cuda_runtime.h>

__device__ __forceinline__ void bulk_store(void* g, const void* s, uint32_t bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(g), "r"((uint32_t)__cvta_generic_to_shared(s)), "r"(bytes) : "memory");
}
__device__ __forceinline__ void bulk_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
template <int N> __device__ __forceinline__ void bulk_wait_read() { asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory"); }

constexpr int kThreads = 256;
constexpr int kPerThread = 4;
constexpr int kTile = kThreads * kPerThread;

__global__ void __launch_bounds__(kThreads) activation_persistent(const float* __restrict__ in, float* __restrict__ out, int tiles) {
  __shared__ alignas(128) float out_buf[2][kTile];
  int it = 0;
  for (int t = blockIdx.x; t < tiles; t += gridDim.x, ++it) {
    float v[kPerThread];
    for (int j = 0; j < kPerThread; ++j) {
      const float x = in[(size_t)t * kTile + j * kThreads + threadIdx.x];
      v[j] = x / (1.f + __expf(-x));
    }
    if (threadIdx.x == 0) bulk_wait_read<1>();
    __syncthreads();
    for (int j = 0; j < kPerThread; ++j) out_buf[it & 1][j * kThreads + threadIdx.x] = v[j];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
      bulk_store(out + (size_t)t * kTile, out_buf[it & 1], kTile * sizeof(float));
      bulk_commit();
    }
  }
  if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

void launch_activation(const float* in, float* out, int n, cudaStream_t st) {
  activation_persistent<<<264, kThreads, 0, st>>>(in, out, n / kTile);
}
