#include <cuda_runtime.h>
#include <cstdint>

__device__ __forceinline__ void cp_async16(void* dst, const void* src) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((uint32_t)__cvta_generic_to_shared(dst)), "l"(src) : "memory");
}
__device__ __forceinline__ void cp_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N> __device__ __forceinline__ void cp_async_wait() { asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory"); }

constexpr int S = 3;
constexpr int kThreads = 128;

__global__ void __launch_bounds__(kThreads) banded(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ y, int tiles_total, int chunk) {
  __shared__ __align__(16) float ring[S][kThreads * 4];
  const int begin = blockIdx.x * chunk;
  const int end = min(tiles_total, begin + chunk);
  const int kt = end - begin;
  auto issue = [&](int t) {
    cp_async16(&ring[t % S][threadIdx.x * 4], x + ((size_t)(begin + t) * kThreads + threadIdx.x) * 4);
  };
  for (int p = 0; p < S - 1; ++p) {
    if (p < kt) issue(p);
    cp_async_commit();
  }
  float4 acc = make_float4(0.f, 0.f, 0.f, 0.f);
  for (int t = 0; t < kt; ++t) {
    cp_async_wait<S - 2>();
    __syncthreads();
    const float* r = ring[t % S];
    const float g = w[begin + t];
    acc.x += g * r[threadIdx.x];
    acc.y += g * r[threadIdx.x + kThreads];
    acc.z += g * r[threadIdx.x + 2 * kThreads];
    acc.w += g * r[threadIdx.x + 3 * kThreads];
    if (t + S - 1 < kt) issue(t + S - 1);
    cp_async_commit();
  }
  float* o = y + (size_t)blockIdx.x * kThreads * 4 + threadIdx.x;
  o[0] = acc.x;
  o[kThreads] = acc.y;
  o[2 * kThreads] = acc.z;
  o[3 * kThreads] = acc.w;
}

void launch_banded(const float* x, const float* w, float* y, int tiles, cudaStream_t st) {
  const int blocks = 216;
  banded<<<blocks, kThreads, 0, st>>>(x, w, y, tiles, (tiles + blocks - 1) / blocks);
}
