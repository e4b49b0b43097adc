// Row-wise softmax over the inner dimension, one block per row.  nvcc -arch=sm_80
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cfloat>
#include <cstdint>

namespace softmax_ops {

constexpr int kWarp = 32;

__device__ __forceinline__ float to_acc(float v) { return v; }
__device__ __forceinline__ float to_acc(__half v) { return __half2float(v); }
__device__ __forceinline__ float to_acc(__nv_bfloat16 v) { return __bfloat162float(v); }

template <typename T> __device__ __forceinline__ T from_acc(float v);
template <> __device__ __forceinline__ float from_acc<float>(float v) { return v; }
template <> __device__ __forceinline__ __half from_acc<__half>(float v) { return __float2half(v); }
template <> __device__ __forceinline__ __nv_bfloat16 from_acc<__nv_bfloat16>(float v) {
  return __float2bfloat16(v);
}

template <typename A> struct Add {
  __device__ __forceinline__ A operator()(A a, A b) const { return a + b; }
};
template <typename A> struct Max {
  __device__ __forceinline__ A operator()(A a, A b) const { return a < b ? b : a; }
};

template <template <typename> class Reduction, typename A>
__device__ __forceinline__ A blockReduce(A *smem, A val, const Reduction<A> &r, A identity) {
  smem[threadIdx.x] = val;
  __syncthreads();

  A warpVal = identity;
  const int numWarps = blockDim.x / kWarp;
  const uint32_t mask = static_cast<uint32_t>((uint64_t(1) << numWarps) - 1);
  if (threadIdx.x < kWarp) {
    const int lane = threadIdx.x % kWarp;
    if (lane < numWarps) {
#pragma unroll
      for (int i = 0; i < kWarp; ++i) warpVal = r(warpVal, smem[lane * kWarp + i]);
      __syncwarp(mask);
      smem[lane] = warpVal;
    }
  }
  __syncthreads();

  if (threadIdx.x == 0) {
    A blockVal = identity;
    for (int i = 0; i < numWarps; ++i) blockVal = r(blockVal, smem[i]);
    smem[0] = blockVal;
  }
  __syncthreads();
  return smem[0];
}

template <typename T, bool kLog>
__global__ void softmax_forward(T *__restrict__ output, const T *__restrict__ input, int classes) {
  extern __shared__ unsigned char smem_raw[];
  float *sdata = reinterpret_cast<float *>(smem_raw);
  const T *in = input + static_cast<int64_t>(blockIdx.x) * classes;
  T *out = output + static_cast<int64_t>(blockIdx.x) * classes;

  float threadMax = -FLT_MAX;
  for (int i = threadIdx.x; i < classes; i += blockDim.x) threadMax = fmaxf(threadMax, to_acc(in[i]));
  const float rowMax = blockReduce<Max, float>(sdata, threadMax, Max<float>(), -FLT_MAX);

  float threadSum = 0.f;
  for (int i = threadIdx.x; i < classes; i += blockDim.x) threadSum += __expf(to_acc(in[i]) - rowMax);
  const float rowSum = blockReduce<Add, float>(sdata, threadSum, Add<float>(), 0.f);

  if (kLog) {
    const float lse = rowMax + __logf(rowSum);
    for (int i = threadIdx.x; i < classes; i += blockDim.x) out[i] = from_acc<T>(to_acc(in[i]) - lse);
  } else {
    const float inv = 1.f / rowSum;
    for (int i = threadIdx.x; i < classes; i += blockDim.x)
      out[i] = from_acc<T>(__expf(to_acc(in[i]) - rowMax) * inv);
  }
}

inline dim3 softmax_block(int classes) {
  int block = kWarp;
  const int limit = std::min(classes, 1024);
  while (block < limit / 2) block *= 2;
  return dim3(block);
}

}  // namespace softmax_ops

template <typename T>
void host_softmax(T *out, const T *in, int rows, int classes, bool log_softmax, cudaStream_t stream) {
  using namespace softmax_ops;
  if (rows == 0 || classes == 0) return;
  const dim3 block = softmax_block(classes);
  const size_t smem = block.x * sizeof(float);
  if (log_softmax)
    softmax_forward<T, true><<<rows, block, smem, stream>>>(out, in, classes);
  else
    softmax_forward<T, false><<<rows, block, smem, stream>>>(out, in, classes);
}

template void host_softmax<float>(float *, const float *, int, int, bool, cudaStream_t);
template void host_softmax<__half>(__half *, const __half *, int, int, bool, cudaStream_t);
template void host_softmax<__nv_bfloat16>(__nv_bfloat16 *, const __nv_bfloat16 *, int, int, bool,
                                          cudaStream_t);
