// Fused cross entropy forward with label smoothing and ignore_index, chunked online logsumexp.  nvcc -arch=sm_80
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cfloat>
#include <cmath>
#include <cstdint>

namespace xent {

template <typename T, int N>
struct alignas(sizeof(T) * N) Vec {
  T v[N];
};

struct MaxOp {
  static constexpr float init = -FLT_MAX;
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct SumOp {
  static constexpr float init = 0.f;
  __device__ float operator()(float a, float b) const { return a + b; }
};

template <typename Op>
__device__ float block_all_reduce(float v, float *scratch, Op op) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) v = op(v, __shfl_xor_sync(0xffffffffu, v, o));
  __syncthreads();
  if (lane == 0) scratch[warp] = v;
  __syncthreads();
  v = lane < (blockDim.x >> 5) ? scratch[lane] : Op::init;
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) v = op(v, __shfl_xor_sync(0xffffffffu, v, o));
  return v;
}

template <int kVec>
__global__ void cross_entropy_fwd(const __nv_bfloat16 *__restrict__ logits, const int64_t *__restrict__ labels,
                                  float *__restrict__ losses, float *__restrict__ lse_out, int vocab,
                                  int64_t ignore_index, float smoothing) {
  using V = Vec<__nv_bfloat16, kVec>;
  __shared__ float scratch[32];

  const int64_t row = blockIdx.x;
  const int64_t label = labels[row];
  if (label == ignore_index) {
    if (threadIdx.x == 0) {
      losses[row] = 0.f;
      lse_out[row] = 0.f;
    }
    return;
  }
  const __nv_bfloat16 *x = logits + row * vocab;

  float run_max = -FLT_MAX, run_sum = 0.f, logit_sum = 0.f;
  for (int base = 0; base < vocab; base += blockDim.x * kVec) {
    const int i = base + threadIdx.x * kVec;
    float v[kVec];
    float m = -FLT_MAX;
    if (i + kVec <= vocab) {
      const V pack = *reinterpret_cast<const V *>(x + i);
#pragma unroll
      for (int j = 0; j < kVec; ++j) v[j] = __bfloat162float(pack.v[j]);
    } else {
#pragma unroll
      for (int j = 0; j < kVec; ++j) v[j] = -INFINITY;
    }
#pragma unroll
    for (int j = 0; j < kVec; ++j) m = fmaxf(m, v[j]);
    const float chunk_max = block_all_reduce(m, scratch, MaxOp{});
    const float new_max = fmaxf(run_max, chunk_max);
    float s = 0.f;
#pragma unroll
    for (int j = 0; j < kVec; ++j) {
      s += __expf(v[j] - new_max);
      if (v[j] != -INFINITY) logit_sum += v[j];
    }
    const float chunk_sum = block_all_reduce(s, scratch, SumOp{});
    run_sum = run_sum * __expf(run_max - new_max) + chunk_sum;
    run_max = new_max;
  }

  logit_sum = block_all_reduce(logit_sum, scratch, SumOp{});
  if (threadIdx.x == 0) {
    const float lse = run_max + __logf(run_sum);
    const float nll = lse - __bfloat162float(x[label]);
    const float smooth = lse - logit_sum / vocab;
    losses[row] = (1.f - smoothing) * nll + smoothing * smooth;
    lse_out[row] = lse;
  }
}

}  // namespace xent

// vocab must be a multiple of 4
bool cross_entropy_forward(const __nv_bfloat16 *logits, const int64_t *labels, float *losses, float *lse,
                           int rows, int vocab, int64_t ignore_index, float smoothing, cudaStream_t stream) {
  if (rows == 0) return true;
  if (vocab % 8 == 0)
    xent::cross_entropy_fwd<8><<<rows, 512, 0, stream>>>(logits, labels, losses, lse, vocab, ignore_index, smoothing);
  else if (vocab % 4 == 0)
    xent::cross_entropy_fwd<4><<<rows, 512, 0, stream>>>(logits, labels, losses, lse, vocab, ignore_index, smoothing);
  else
    return false;
  return true;
}
