#include <cuda/barrier>
#include <cuda_runtime.h>
#pragma nv_diag_suppress static_var_with_dynamic_init

using Bar = cuda::barrier<cuda::thread_scope_block>;
constexpr int kStages = 2;
constexpr int kLen = 512;

__global__ void __launch_bounds__(64 + 128) hist_weights(const float* __restrict__ in, float* __restrict__ out, const int* __restrict__ row_ptr) {
  __shared__ float buf[kStages][kLen];
  __shared__ Bar full[kStages];
  __shared__ Bar empty[kStages];
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      init(&full[i], 32);
      init(&empty[i], 128);
    }
  }
  __syncthreads();
  const int lo = row_ptr[blockIdx.x];
  const int n = row_ptr[blockIdx.x + 1] - lo;
  if (threadIdx.x < 64) {
    for (int i = 0; i < n; ++i) {
      const int s = i % kStages;
      empty[s].wait_parity(((i / kStages) & 1) ^ 1);
      for (int e = threadIdx.x; e < kLen; e += 64) buf[s][e] = in[(size_t)(lo + i) * kLen + e];
      (void)full[s].arrive();
    }
  } else {
    const int t = threadIdx.x - 64;
    float acc = 0.f;
    for (int i = 0; i < n; ++i) {
      const int s = i % kStages;
      full[s].wait_parity((i / kStages) & 1);
      for (int e = t; e < kLen; e += 128) acc += buf[s][e];
      (void)empty[s].arrive();
    }
    out[blockIdx.x * 128 + t] = acc;
  }
}

void launch_hist_weights(const float* in, float* out, const int* row_ptr, int rows, cudaStream_t st) {
  hist_weights<<<rows, 192, 0, st>>>(in, out, row_ptr);
}
