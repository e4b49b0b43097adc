// Gradient sparsification: append |g| above a threshold to a sparse list, keep the residual.  nvcc -arch=sm_80
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

namespace dgc {

constexpr int kThreads = 256;

template <typename T> struct Scalar;
template <> struct Scalar<float> {
  static __device__ float load(float v) { return v; }
};
template <> struct Scalar<__half> {
  static __device__ float load(__half v) { return __half2float(v); }
};
template <> struct Scalar<__nv_bfloat16> {
  static __device__ float load(__nv_bfloat16 v) { return __bfloat162float(v); }
};

struct SparseList {
  int64_t *index;
  float *value;
  unsigned int *count;  // zero on entry
  unsigned int capacity;
};

__device__ __forceinline__ unsigned lane_id() {
  unsigned r;
  asm("mov.u32 %0, %%laneid;" : "=r"(r));
  return r;
}

// one atomic per group of threads that are here together
__device__ __forceinline__ unsigned aggregated_slot(unsigned *counter) {
  const unsigned mask = __activemask();
  const unsigned lane = lane_id();
  const unsigned rank = __popc(mask & ((1u << lane) - 1u));
  unsigned base = 0;
  if (rank == 0) base = atomicAdd(counter, static_cast<unsigned>(__popc(mask)));
  base = __shfl_sync(mask, base, 0);
  return base + rank;
}

struct Momentum {
  float *buf;
  float mu;
  __device__ __forceinline__ float operator()(int64_t i, float g) const {
    const float m = mu * buf[i] + g;
    buf[i] = m;
    return m;
  }
};
struct NoMomentum {
  __device__ __forceinline__ float operator()(int64_t, float g) const { return g; }
};

template <typename T, typename Correct>
__global__ void __launch_bounds__(kThreads)
    sparsify(const T *__restrict__ grad, float *__restrict__ residual, int64_t n, const float *threshold,
             SparseList list, Correct correct) {
  const float thr = *threshold;
  for (int64_t i = blockIdx.x * static_cast<int64_t>(kThreads) + threadIdx.x; i < n;
       i += static_cast<int64_t>(gridDim.x) * kThreads) {
    const float acc = residual[i] + correct(i, Scalar<T>::load(grad[i]));
    float left = acc;
    if (fabsf(acc) >= thr) {
      const unsigned slot = aggregated_slot(list.count);
      if (slot < list.capacity) {
        list.index[slot] = i;
        list.value[slot] = acc;
        left = 0.f;
      }
    }
    residual[i] = left;
  }
}

}  // namespace dgc

template <typename T>
void sparsify_gradient(const T *grad, float *residual, float *momentum, float mu, int64_t n, const float *threshold,
                       dgc::SparseList list, int num_sms, cudaStream_t stream) {
  if (n == 0) return;
  cudaMemsetAsync(list.count, 0, sizeof(unsigned int), stream);
  const int64_t want = (n + dgc::kThreads - 1) / dgc::kThreads;
  const int grid = static_cast<int>(std::min<int64_t>(want, 8 * num_sms));
  if (momentum != nullptr)
    dgc::sparsify<<<grid, dgc::kThreads, 0, stream>>>(grad, residual, n, threshold, list, dgc::Momentum{momentum, mu});
  else
    dgc::sparsify<<<grid, dgc::kThreads, 0, stream>>>(grad, residual, n, threshold, list, dgc::NoMomentum{});
}

template void sparsify_gradient<float>(const float *, float *, float *, float, int64_t, const float *,
                                       dgc::SparseList, int, cudaStream_t);
template void sparsify_gradient<__half>(const __half *, float *, float *, float, int64_t, const float *,
                                        dgc::SparseList, int, cudaStream_t);
template void sparsify_gradient<__nv_bfloat16>(const __nv_bfloat16 *, float *, float *, float, int64_t, const float *,
                                               dgc::SparseList, int, cudaStream_t);
