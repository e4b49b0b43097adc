#include <cuda/barrier>
#include <cuda_runtime.h>
#include <utility>
#pragma nv_diag_suppress static_var_with_dynamic_init

using Barrier = cuda::barrier<cuda::thread_scope_block>;
constexpr int kStages = 3;
constexpr int kLen = 512;
constexpr int kConsumers = 128;

__global__ void __launch_bounds__(64 + kConsumers) pairwise(const float* A, const float* B, float* out, int begin_step, int steps) {
  __shared__ float sa[kStages][kLen];
  __shared__ float sb[kStages][kLen];
  __shared__ Barrier full[kStages];
  __shared__ Barrier empty[kStages];
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      init(&full[s], 2);
      init(&empty[s], kConsumers);
    }
  }
  __syncthreads();
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (warp < 2) {
    const float* src = (warp == 0 ? A : B) + (size_t)blockIdx.x * steps * kLen;
    for (int i = begin_step; i < steps; ++i) {
      const int j = i - begin_step;
      const int s = j % kStages;
      empty[s].wait_parity(((j / kStages) & 1) == 0);
      float* dst = warp == 0 ? sa[s] : sb[s];
      for (int e = lane; e < kLen; e += 32) dst[e] = src[(size_t)i * kLen + e];
      __syncwarp();
      if (lane == 0) (void)full[s].arrive();
    }
  } else {
    const int t = threadIdx.x - 64;
    float acc = 0.f;
    for (int i = begin_step, j = 0; i < steps; ++i, ++j) {
      const int s = j % kStages;
      full[s].wait_parity((j / kStages) & 1);
      for (int e = t; e < kLen; e += kConsumers) {
        const float d = sa[s][e] - sb[s][kLen - 1 - e];
        acc += d * d;
      }
      (void)empty[s].arrive();
    }
    out[blockIdx.x * kConsumers + t] = acc;
  }
}

void launch_pairwise(const float* A, const float* B, float* out, int blocks, int begin_step, int steps, cudaStream_t st) {
  pairwise<<<blocks, 64 + kConsumers, 0, st>>>(A, B, out, begin_step, steps);
}
