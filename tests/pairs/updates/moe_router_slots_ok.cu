// Top-1 token dispatch for a capacity-limited mixture of experts layer.
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cfloat>
#include <stdexcept>

namespace moe {

struct RouterParams {
  int num_tokens;
  int num_experts;
  int capacity;      // slots per expert
  int hidden;
};

__device__ __forceinline__ int argmax_row(const float* logits, int n, float* p_max) {
  int best = 0;
  float m = -FLT_MAX;
  for (int e = 0; e < n; ++e) {
    float v = logits[e];
    if (v > m) { m = v; best = e; }
  }
  *p_max = m;
  return best;
}

__global__ void route_tokens(RouterParams p, const float* __restrict__ logits,
                             int* expert_fill, int* slot_of_token, float* gate) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= p.num_tokens) return;
  const float* row = logits + (size_t)t * p.num_experts;
  float mx;
  const int e = argmax_row(row, p.num_experts, &mx);
  float denom = 0.f;
  for (int k = 0; k < p.num_experts; ++k) denom += __expf(row[k] - mx);
  gate[t] = 1.f / denom;
  const int pos = atomicAdd(&expert_fill[e], 1);
  slot_of_token[t] = pos < p.capacity ? e * p.capacity + pos : -1;
}

template <typename T>
__global__ void dispatch(RouterParams p, const T* __restrict__ x, const int* __restrict__ slot_of_token,
                         T* __restrict__ expert_in) {
  const int t = blockIdx.x;
  const int slot = slot_of_token[t];
  if (slot < 0) return;
  const T* src = x + (size_t)t * p.hidden;
  T* dst = expert_in + (size_t)slot * p.hidden;
  for (int h = threadIdx.x; h < p.hidden; h += blockDim.x) dst[h] = src[h];
}

void forward(const RouterParams& p, const float* logits, const __half* x, int* expert_fill,
             int* slot_of_token, float* gate, __half* expert_in, cudaStream_t stream) {
  cudaMemsetAsync(expert_fill, 0, sizeof(int) * p.num_experts, stream);
  cudaMemsetAsync(expert_in, 0, sizeof(__half) * (size_t)p.num_experts * p.capacity * p.hidden, stream);
  const int block = 128;
  route_tokens<<<(p.num_tokens + block - 1) / block, block, 0, stream>>>(p, logits, expert_fill,
                                                                       slot_of_token, gate);
  dispatch<__half><<<p.num_tokens, 256, 0, stream>>>(p, x, slot_of_token, expert_in);
  if (cudaGetLastError() != cudaSuccess) throw std::runtime_error("moe::forward launch failed");
}

}  // namespace moe
