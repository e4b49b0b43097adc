#include <cuda_runtime.h>
#include <cuda_fp16.h>

namespace lczero_like {
namespace {

constexpr int kRowThreads = 48;
constexpr int kRowsPerBlock = 4;

struct NormArgs {
  const half* in;
  const half* skip;
  const float* gamma;
  const float* beta;
  half* out;
  int* block_max;
  int n;
  int c;
  float eps;
};

__device__ float row_sum(float v, bool oob, float (*scratch)[kRowThreads]) {
  float* s = scratch[threadIdx.y];
  s[threadIdx.x] = oob ? 0.f : v;
  __syncthreads();
  float acc = 0.f;
  for (int i = 0; i < kRowThreads; ++i) acc += s[i];
  __syncthreads();
  return acc;
}

__global__ void layer_norm_kernel(NormArgs a) {
  __shared__ float scratch[kRowsPerBlock][kRowThreads];
  __shared__ int smax;

  const int row = blockIdx.x * kRowsPerBlock + threadIdx.y;
  const bool oob = row >= a.n;
  if (threadIdx.x == 0 && threadIdx.y == 0) smax = 0;

  float part = 0.f;
  if (!oob) {
    for (int i = threadIdx.x; i < a.c; i += kRowThreads) {
      const size_t idx = (size_t)row * a.c + i;
      part += __half2float(a.in[idx]) + __half2float(a.skip[idx]);
    }
  }
  const float mean = row_sum(part, oob, scratch) / a.c;

  float var = 0.f;
  if (!oob) {
    for (int i = threadIdx.x; i < a.c; i += kRowThreads) {
      const size_t idx = (size_t)row * a.c + i;
      const float d = __half2float(a.in[idx]) + __half2float(a.skip[idx]) - mean;
      var += d * d;
    }
  }
  const float rstd = rsqrtf(row_sum(var, oob, scratch) / a.c + a.eps);

  __syncthreads();
  if (!oob) {
    for (int i = threadIdx.x; i < a.c; i += kRowThreads) {
      const size_t idx = (size_t)row * a.c + i;
      const float v = __half2float(a.in[idx]) + __half2float(a.skip[idx]);
      const float y = (v - mean) * rstd * a.gamma[i] + a.beta[i];
      a.out[idx] = __float2half(y);
      atomicMax(&smax, __float_as_int(fabsf(y)));
    }
  }
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0) a.block_max[blockIdx.x] = smax;
}

}  // namespace

void LayerNorm(const half* in, const half* skip, const float* gamma, const float* beta,
               half* out, int* block_max, int n, int c, cudaStream_t stream) {
  NormArgs a{in, skip, gamma, beta, out, block_max, n, c, 1e-5f};
  dim3 block(kRowThreads, kRowsPerBlock);
  layer_norm_kernel<<<(n + kRowsPerBlock - 1) / kRowsPerBlock, block, 0, stream>>>(a);
}

}  // namespace lczero_like
