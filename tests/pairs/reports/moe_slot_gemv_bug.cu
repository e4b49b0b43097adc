#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cstdint>

namespace moe {

constexpr int kLanes = 16;
constexpr int kTokensPerBlock = 8;

struct GemvParams {
  const half* x;          // [n_tokens, dim]
  const int8_t* w;        // [n_experts, hidden, dim], values in {-1, 0, 1}
  const float* scale;     // [n_experts]
  const int* routing;     // [n_tokens, top_k], -1 for a dropped slot
  const float* gate;      // [n_tokens, top_k]
  float* out;             // [n_tokens, hidden]
  float* block_norm;      // [gridDim.y, n_tokens] squared norm of each block of outputs
  int n_tokens;
  int n_experts;
  int dim;
  int hidden;
  int top_k;
};

__device__ __forceinline__ bool expert_ok(int e, int n_experts) {
  return e >= 0 && e < n_experts;
}

__global__ void __launch_bounds__(kLanes * kTokensPerBlock)
ternary_gemv_kernel(GemvParams p) {
  __shared__ float xs[kTokensPerBlock][kLanes];

  const int token = blockIdx.x * kTokensPerBlock + threadIdx.y;
  const int row = blockIdx.y * kLanes + threadIdx.x;
  const bool in_range = token < p.n_tokens;

  float result = 0.f;
  for (int k = 0; k < p.top_k; ++k) {
    const int e = in_range ? p.routing[token * p.top_k + k] : -1;
    const bool live = expert_ok(e, p.n_experts);
    if (!live) continue;
    float acc = 0.f;
    for (int kb = 0; kb < p.dim; kb += kLanes) {
      const int c = kb + threadIdx.x;
      float v = 0.f;
      if (in_range && c < p.dim) v = __half2float(p.x[(size_t)token * p.dim + c]);
      xs[threadIdx.y][threadIdx.x] = v;
      __syncthreads();
      if (live && row < p.hidden) {
        const int8_t* wr = p.w + ((size_t)e * p.hidden + row) * p.dim + kb;
        const int lim = min(kLanes, p.dim - kb);
        for (int j = 0; j < lim; ++j) acc += xs[threadIdx.y][j] * (float)wr[j];
      }
      __syncthreads();
    }
    if (live) result += acc * p.scale[e] * p.gate[token * p.top_k + k];
  }
  const bool keep = in_range && row < p.hidden;
  if (keep) p.out[(size_t)token * p.hidden + row] = result;

  xs[threadIdx.y][threadIdx.x] = keep ? result * result : 0.f;
  __syncthreads();
  if (in_range && threadIdx.x == 0) {
    float sum = 0.f;
    for (int j = 0; j < kLanes; ++j) sum += xs[threadIdx.y][j];
    p.block_norm[(size_t)blockIdx.y * p.n_tokens + token] = sum;
  }
}

cudaError_t launch_ternary_gemv(const GemvParams& p, cudaStream_t stream) {
  if (p.n_tokens == 0) return cudaSuccess;
  dim3 block(kLanes, kTokensPerBlock);
  dim3 grid((p.n_tokens + kTokensPerBlock - 1) / kTokensPerBlock,
            (p.hidden + kLanes - 1) / kLanes);
  ternary_gemv_kernel<<<grid, block, 0, stream>>>(p);
  return cudaGetLastError();
}

}  // namespace moe
