#include <cuda/barrier>
#include <cuda_runtime.h>
#include <cstdint>
#include <utility>

namespace dsa {

constexpr int kStages = 2;
constexpr int kConsumers = 96;
constexpr int kThreads = 32 + kConsumers;
constexpr int kHeads = 64;

using Barrier = cuda::barrier<cuda::thread_scope_block>;

struct IndexerArgs {
  const float* weights;  // [tokens, kHeads]
  const float* grad;     // [tokens]
  const float* keys;     // [n_keys, kHeads]
  float* out;            // [chunks, n_keys]
  int tokens;
  int n_keys;
  int chunk;
};

struct Smem {
  float w[kStages][kHeads];
  float g[kStages];
};

__device__ void load_warp(const IndexerArgs& a, Smem& sm, Barrier* full, Barrier* empty, int begin,
                          int end) {
  const int lane = threadIdx.x;
  for (int t = begin; t < end; ++t) {
    const int it = t - begin;
    const int s = it % kStages;
    if (it >= kStages) empty[s].wait_parity(((it / kStages) - 1) & 1);
    for (int h = lane; h < kHeads; h += 32) {
      sm.w[s][h] = a.weights[(size_t)t * kHeads + h];
    }
    if (lane == 0) sm.g[s] = a.grad[t];
    __syncwarp();
    if (lane == 0) (void)full[s].arrive();
  }
}

__device__ void compute_warps(const IndexerArgs& a, Smem& sm, Barrier* full, Barrier* empty,
                              int begin, int end) {
  const int key = blockIdx.y * kConsumers + threadIdx.x - 32;
  float acc = 0.f;
  for (int t = begin; t < end; ++t) {
    const int it = t - begin;
    const int s = it % kStages;
    full[s].wait_parity((it / kStages) & 1);
    if (key < a.n_keys) {
      float dot = 0.f;
      for (int h = 0; h < kHeads; ++h) dot += sm.w[s][h] * a.keys[(size_t)key * kHeads + h];
      acc += fmaxf(dot, 0.f) * sm.g[s];
    }
    (void)empty[s].arrive();
  }
  if (key < a.n_keys) a.out[(size_t)blockIdx.x * a.n_keys + key] = acc;
}

__global__ void __launch_bounds__(kThreads) indexer_kernel(IndexerArgs a) {
  __shared__ Smem sm;
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier full[kStages];
  __shared__ Barrier empty[kStages];

  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      init(&full[s], 1);
      init(&empty[s], kConsumers);
    }
  }
  __syncthreads();

  const int begin = blockIdx.x * a.chunk;
  const int end = min(a.tokens, begin + a.chunk);
  if (threadIdx.x < 32)
    load_warp(a, sm, full, empty, begin, end);
  else
    compute_warps(a, sm, full, empty, begin, end);
}

cudaError_t indexer(IndexerArgs a, int chunks, cudaStream_t s) {
  if (a.tokens <= 0 || a.n_keys <= 0 || chunks <= 0) return cudaErrorInvalidValue;
  a.chunk = (a.tokens + chunks - 1) / chunks;
  const dim3 grid(chunks, (a.n_keys + kConsumers - 1) / kConsumers);
  indexer_kernel<<<grid, kThreads, 0, s>>>(a);
  return cudaGetLastError();
}

}  // namespace dsa
