#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <cfloat>

namespace at_like {
namespace native {

constexpr int kWarpSize = 32;

struct SumOp {
  __device__ __forceinline__ float combine(float a, float b) const { return a + b; }
  __device__ __forceinline__ float identity() const { return 0.f; }
};

struct MaxOp {
  __device__ __forceinline__ float combine(float a, float b) const { return fmaxf(a, b); }
  __device__ __forceinline__ float identity() const { return -FLT_MAX; }
};

template <class Op>
__device__ __forceinline__ float WarpReduce(float val, const Op& op) {
#pragma unroll
  for (int offset = kWarpSize >> 1; offset > 0; offset >>= 1) {
    val = op.combine(val, __shfl_down_sync(0xffffffffu, val, offset));
  }
  return val;
}

// Result is valid in thread 0 only.
template <class Op>
__device__ __forceinline__ float BlockReduce(float val, const Op& op, float* shared) {
  const int lid = threadIdx.x % kWarpSize;
  const int wid = threadIdx.x / kWarpSize;
  val = WarpReduce(val, op);
  if (lid == 0) {
    shared[wid] = val;
  }
  __syncthreads();
  val = (threadIdx.x < blockDim.x / kWarpSize) ? shared[lid] : op.identity();
  if (wid == 0) {
    val = WarpReduce(val, op);
  }
  return val;
}

template <typename scalar_t>
__device__ __forceinline__ float to_float(scalar_t v) { return static_cast<float>(v); }

template <typename scalar_t>
__global__ void RowStatsCUDAKernel(int64_t N, const scalar_t* X, float* row_max, float* row_l1,
                                   float* row_l2) {
  __shared__ float shared[kWarpSize];
  const int64_t i = blockIdx.x;
  float m = -FLT_MAX, a = 0.f, q = 0.f;
  for (int64_t j = threadIdx.x; j < N; j += blockDim.x) {
    const float x = to_float(X[i * N + j]);
    m = fmaxf(m, x);
    a += fabsf(x);
    q += x * x;
  }
  m = BlockReduce(m, MaxOp(), shared);
  a = BlockReduce(a, SumOp(), shared);
  q = BlockReduce(q, SumOp(), shared);
  if (threadIdx.x == 0) {
    row_max[i] = m;
    row_l1[i] = a;
    row_l2[i] = sqrtf(q);
  }
}

template <typename scalar_t>
void row_stats(int64_t M, int64_t N, const scalar_t* X, float* row_max, float* row_l1,
               float* row_l2, cudaStream_t stream) {
  if (M == 0) return;
  int threads = 64;
  while (threads < 512 && threads < N) threads <<= 1;
  RowStatsCUDAKernel<scalar_t><<<(unsigned)M, threads, 0, stream>>>(N, X, row_max, row_l1, row_l2);
}

template void row_stats<float>(int64_t, int64_t, const float*, float*, float*, float*, cudaStream_t);
template void row_stats<__nv_bfloat16>(int64_t, int64_t, const __nv_bfloat16*, float*, float*, float*,
                                       cudaStream_t);

}  // namespace native
}  // namespace at_like
