#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <algorithm>
#include <cmath>

namespace nn {

struct MaxOp {
  static __device__ float identity() { return -INFINITY; }
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct SumOp {
  static __device__ float identity() { return 0.f; }
  __device__ float operator()(float a, float b) const { return a + b; }
};

template <class Op>
__device__ __forceinline__ float warp_all_reduce(float v, Op op) {
#pragma unroll
  for (int o = 16; o > 0; o /= 2) v = op(v, __shfl_xor_sync(0xffffffffu, v, o));
  return v;
}

template <int BLOCK, class Op>
__device__ __forceinline__ float block_all_reduce(float v, float* sh, Op op) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  v = warp_all_reduce(v, op);
  if (lane == 0) sh[warp] = v;
  __syncthreads();
  if (warp == 0) {
    float x = lane < BLOCK / 32 ? sh[lane] : Op::identity();
    x = warp_all_reduce(x, op);
    if (lane == 0) sh[0] = x;
  }
  __syncthreads();
  const float r = sh[0];
  __syncthreads();
  return r;
}

template <typename T>
struct SoftmaxParams {
  const T* x;
  T* y;
  const float* bias;   // may be null
  int rows;
  int cols;
  float scale;
};

template <typename T>
__device__ __forceinline__ float to_f(T v) { return float(v); }
template <>
__device__ __forceinline__ float to_f<__half>(__half v) { return __half2float(v); }
template <typename T>
__device__ __forceinline__ T from_f(float v) { return T(v); }
template <>
__device__ __forceinline__ __half from_f<__half>(float v) { return __float2half(v); }

template <typename T, int BLOCK>
__global__ void __launch_bounds__(BLOCK) softmax_rows(SoftmaxParams<T> p) {
  __shared__ float sh[BLOCK / 32];
  for (int row = blockIdx.x; row < p.rows; row += gridDim.x) {
    const T* x = p.x + size_t(row) * p.cols;
    T* y = p.y + size_t(row) * p.cols;
    auto logit = [&](int c) {
      float v = to_f<T>(x[c]) * p.scale;
      return p.bias ? v + p.bias[c] : v;
    };
    float m = -INFINITY;
    for (int c = threadIdx.x; c < p.cols; c += BLOCK) m = fmaxf(m, logit(c));
    m = block_all_reduce<BLOCK>(m, sh, MaxOp{});
    float s = 0.f;
    for (int c = threadIdx.x; c < p.cols; c += BLOCK) s += __expf(logit(c) - m);
    s = block_all_reduce<BLOCK>(s, sh, SumOp{});
    const float inv = 1.f / s;
    for (int c = threadIdx.x; c < p.cols; c += BLOCK) y[c] = from_f<T>(__expf(logit(c) - m) * inv);
  }
}

template <typename T>
void softmax(const SoftmaxParams<T>& p, int sms, cudaStream_t st) {
  if (p.rows == 0) return;
  const int grid = std::min(p.rows, sms * 8);
  if (p.cols <= 512)
    softmax_rows<T, 128><<<grid, 128, 0, st>>>(p);
  else if (p.cols <= 4096)
    softmax_rows<T, 256><<<grid, 256, 0, st>>>(p);
  else
    softmax_rows<T, 1024><<<grid, 1024, 0, st>>>(p);
}

template void softmax<float>(const SoftmaxParams<float>&, int, cudaStream_t);
template void softmax<__half>(const SoftmaxParams<__half>&, int, cudaStream_t);

}  // namespace nn
