// Warp-specialised q.k scoring over an int8 key cache: one producer warp, four consumer warps.  nvcc -arch=sm_80
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cfloat>
#include <cstdint>

namespace wsq {

constexpr int kProducerThreads = 32;
constexpr int kConsumerThreads = 128;
constexpr int kBlockThreads = kProducerThreads + kConsumerThreads;
constexpr int kTileKeys = 128;
constexpr int kStages = 2;

enum NamedBarrier : int { kFull0 = 1, kEmpty0 = 3, kConsumers = 5 };

__device__ __forceinline__ void bar_sync(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
__device__ __forceinline__ void bar_arrive(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

template <int D>
struct Smem {
  alignas(16) int8_t k[kStages][kTileKeys][D];
  float scale[kStages][kTileKeys];
  float q[D];
  float red[kConsumerThreads / 32];
};

struct ScoreParams {
  const float *q;        // [bh, D]
  const int8_t *k;       // [bh, max_len, D]
  const float *k_scale;  // [bh, max_len]
  const int *lengths;    // [bh]
  float *scores;         // [bh, max_len]
  float *row_max;        // [bh]
  int max_len;
};

template <int D>
__device__ void produce(Smem<D> &s, const ScoreParams &p, int64_t bh, int len, int tiles) {
  const int lane = threadIdx.x - kConsumerThreads;
  for (int t = 0; t < tiles; ++t) {
    const int st = t % kStages;
    if (t >= kStages) bar_sync(kEmpty0 + st, kBlockThreads);
    const int row0 = t * kTileKeys;
    const int n = min(kTileKeys, len - row0);
    const int8_t *src = p.k + (bh * p.max_len + row0) * D;
    for (int i = lane * 16; i < n * D; i += kProducerThreads * 16)
      *reinterpret_cast<uint4 *>(&s.k[st][0][0] + i) = *reinterpret_cast<const uint4 *>(src + i);
    for (int i = lane; i < n; i += kProducerThreads) s.scale[st][i] = p.k_scale[bh * p.max_len + row0 + i];
    __threadfence_block();
    bar_arrive(kFull0 + st, kBlockThreads);
  }
}

__device__ __forceinline__ float consumer_max(float v, float *red) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, o));
  if (lane == 0) red[warp] = v;
  bar_sync(kConsumers, kConsumerThreads);
  v = red[0];
#pragma unroll
  for (int w = 1; w < kConsumerThreads / 32; ++w) v = fmaxf(v, red[w]);
  return v;
}

template <int D>
__device__ void consume(Smem<D> &s, const ScoreParams &p, int64_t bh, int len, int tiles) {
  float vmax = -FLT_MAX;
  for (int t = 0; t < tiles; ++t) {
    const int st = t % kStages;
    bar_sync(kFull0 + st, kBlockThreads);
    const int key = t * kTileKeys + threadIdx.x;
    if (key < len) {
      float acc = 0.f;
#pragma unroll 8
      for (int d = 0; d < D; ++d) acc += s.q[d] * s.k[st][threadIdx.x][d];
      acc *= s.scale[st][threadIdx.x];
      p.scores[bh * p.max_len + key] = acc;
      vmax = fmaxf(vmax, acc);
    }
    if (t + kStages < tiles) {
      __threadfence_block();
      bar_arrive(kEmpty0 + st, kBlockThreads);
    }
  }
  vmax = consumer_max(vmax, s.red);
  if (threadIdx.x == 0) p.row_max[bh] = vmax;
}

template <int D>
__global__ void __launch_bounds__(kBlockThreads) kv_scores(const ScoreParams p) {
  __shared__ Smem<D> s;
  const int64_t bh = blockIdx.x;
  const int len = p.lengths[bh];
  const int tiles = (len + kTileKeys - 1) / kTileKeys;
  for (int d = threadIdx.x; d < D; d += kBlockThreads) s.q[d] = p.q[bh * D + d];
  __syncthreads();

  if (threadIdx.x >= kConsumerThreads)
    produce<D>(s, p, bh, len, tiles);
  else
    consume<D>(s, p, bh, len, tiles);
}

}  // namespace wsq

bool kv_scores_int8(const wsq::ScoreParams &p, int bh, int head_dim, cudaStream_t stream) {
  switch (head_dim) {
    case 64: wsq::kv_scores<64><<<bh, wsq::kBlockThreads, 0, stream>>>(p); return true;
    case 128: wsq::kv_scores<128><<<bh, wsq::kBlockThreads, 0, stream>>>(p); return true;
    default: return false;
  }
}
