#include "llm/common.cuh"

namespace llm {
namespace {

// Pivot p* with sum(p >= p*) >= top_p, by bisection. One block per row.
template <int NT>
__global__ void top_p_pivot_kernel(const float* __restrict__ probs, const float* __restrict__ top_p,
                                   float* __restrict__ pivot, int vocab) {
  __shared__ float s_lo, s_hi;
  __shared__ int s_done;
  const float* row = probs + static_cast<int64_t>(blockIdx.x) * vocab;
  if (threadIdx.x == 0) {
    s_lo = 0.f;
    s_hi = 1.f;
    s_done = 0;
  }
  __syncthreads();
  for (int it = 0; it < 40; ++it) {
    const float mid = 0.5f * (s_lo + s_hi);
    float mass = 0.f;
    for (int i = threadIdx.x; i < vocab; i += NT) mass += row[i] >= mid ? row[i] : 0.f;
    mass = block_reduce<SumOp, NT>(mass);
    if (threadIdx.x == 0) {
      if (mass >= top_p[blockIdx.x]) s_lo = mid; else s_hi = mid;
      if (s_hi - s_lo < 1e-7f) s_done = 1;
    }
    __syncthreads();
    if (s_done) break;
  }
  if (threadIdx.x == 0) pivot[blockIdx.x] = s_lo;
}

template <int NT>
__global__ void top_k_pivot_kernel(const float* __restrict__ probs, float* __restrict__ pivot,
                                   int vocab, int top_k) {
  __shared__ int s_count;
  const float* row = probs + static_cast<int64_t>(blockIdx.x) * vocab;
  float lo = 0.f, hi = 1.f;
  for (int it = 0; it < 40; ++it) {
    if (threadIdx.x == 0) s_count = 0;
    __syncthreads();
    const float mid = 0.5f * (lo + hi);
    int c = 0;
    for (int i = threadIdx.x; i < vocab; i += NT) c += row[i] >= mid;
    if (c) atomicAdd(&s_count, c);
    __syncthreads();
    const int total = s_count;
    __syncthreads();
    if (total >= top_k) lo = mid; else hi = mid;
    if (total == top_k || hi - lo < 1e-7f) break;
  }
  if (threadIdx.x == 0) pivot[blockIdx.x] = lo;
}

}  // namespace

void sampling_pivots(const float* probs, const float* top_p, float* pivot_p, float* pivot_k,
                     int rows, int vocab, int top_k, cudaStream_t st) {
  constexpr int kThreads = 512;
  top_p_pivot_kernel<kThreads><<<rows, kThreads, 0, st>>>(probs, top_p, pivot_p, vocab);
  LLM_CHECK(cudaGetLastError());
  if (top_k > 0) {
    top_k_pivot_kernel<kThreads><<<rows, kThreads, 0, st>>>(probs, pivot_k, vocab, top_k);
    LLM_CHECK(cudaGetLastError());
  }
}

}  // namespace llm
