// Warp-specialised decode + accumulate with named barriers (two stages).
#include <cuda_runtime.h>
#include <cstdint>

namespace ws {

template <int PRODUCERS, int CONSUMERS>
struct Config {
  static constexpr int kProducerThreads = 32 * PRODUCERS;
  static constexpr int kConsumerThreads = 32 * CONSUMERS;
  static constexpr int kThreads = kProducerThreads + kConsumerThreads;
  static constexpr int kStages = 2;
  static constexpr int kTile = kConsumerThreads * 4;
};

enum BarrierId : int { kFull = 1, kEmpty = 3 };

__device__ __forceinline__ void bar_sync(int id, int n) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(n) : "memory"); }
__device__ __forceinline__ void bar_arrive(int id, int n) {
  __threadfence_block();
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(n) : "memory");
}

template <typename C>
struct Shared {
  float tile[C::kStages][C::kTile];
};

template <typename C>
__device__ void produce(Shared<C>& sh, const uint8_t* __restrict__ codes, const float* __restrict__ table, int tiles) {
  const int t = threadIdx.x;
  for (int i = 0; i < tiles; ++i) {
    const int s = i & 1;
    bar_sync(kEmpty + s, C::kThreads);
    for (int k = t; k < C::kTile; k += C::kProducerThreads) sh.tile[s][k] = table[codes[i * C::kTile + k]];
    bar_arrive(kFull + s, C::kThreads);
  }
}

template <typename C>
__device__ float consume(Shared<C>& sh, int tiles) {
  const int t = threadIdx.x - C::kProducerThreads;
  for (int s = 0; s < C::kStages && s < tiles; ++s) bar_arrive(kEmpty + s, C::kThreads);
  float acc = 0.f;
  for (int i = 0; i < tiles; ++i) {
    const int s = i & 1;
    bar_sync(kFull + s, C::kThreads);
#pragma unroll
    for (int q = 0; q < 4; ++q) acc += sh.tile[s][q * C::kConsumerThreads + t];
    if (i + C::kStages < tiles) bar_arrive(kEmpty + s, C::kThreads);
  }
  return acc;
}

template <typename C>
__global__ void __launch_bounds__(C::kThreads)
decode_sum(const uint8_t* codes, const float* table, float* out, int tiles_per_block) {
  __shared__ Shared<C> sh;
  const uint8_t* mine = codes + size_t(blockIdx.x) * tiles_per_block * C::kTile;
  if (threadIdx.x < C::kProducerThreads) {
    produce<C>(sh, mine, table, tiles_per_block);
  } else {
    const float a = consume<C>(sh, tiles_per_block);
    out[blockIdx.x * C::kConsumerThreads + threadIdx.x - C::kProducerThreads] = a;
  }
}

template <typename C>
cudaError_t run(const uint8_t* codes, const float* table, float* out, size_t n, int tiles_per_block, cudaStream_t s) {
  if (tiles_per_block < 1) return cudaErrorInvalidValue;
  const size_t per_block = size_t(tiles_per_block) * C::kTile;
  if (n == 0 || n % per_block) return cudaErrorInvalidValue;
  decode_sum<C><<<unsigned(n / per_block), C::kThreads, 0, s>>>(codes, table, out, tiles_per_block);
  return cudaGetLastError();
}

cudaError_t decode(const uint8_t* codes, const float* table, float* out, size_t n, bool wide, cudaStream_t s) {
  return wide ? run<Config<2, 6>>(codes, table, out, n, 16, s) : run<Config<1, 2>>(codes, table, out, n, 5, s);
}

}  // namespace ws
