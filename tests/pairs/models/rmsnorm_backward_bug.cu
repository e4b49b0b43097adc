// RMSNorm backward (dx and dgamma), fp32 accumulation.
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

namespace {

constexpr int kWarpSize = 32;

__device__ __forceinline__ float to_float(float v) { return v; }
__device__ __forceinline__ float to_float(__half v) { return __half2float(v); }

template <typename T> __device__ __forceinline__ T from_float(float v);
template <> __device__ __forceinline__ float from_float<float>(float v) { return v; }
template <> __device__ __forceinline__ __half from_float<__half>(float v) { return __float2half(v); }

__device__ __forceinline__ float warp_sum(float v) {
#pragma unroll
  for (int o = kWarpSize / 2; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
  return v;
}

// Every thread of the block gets the total.
template <int kThreads>
__device__ float block_sum(float v, float* red) {
  static_assert(kThreads % kWarpSize == 0, "whole warps only");
  constexpr int kWarps = kThreads / kWarpSize;
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  v = warp_sum(v);
  if constexpr (kWarps == 1) return v;
  if (lane == 0) red[warp] = v;
  __syncthreads();
  v = lane < kWarps ? red[lane] : 0.f;
  return warp_sum(v);
}

template <typename T, int kThreads>
__global__ void rmsnorm_bwd_kernel(const T* __restrict__ dy, const T* __restrict__ x,
                                   const T* __restrict__ gamma, const float* __restrict__ rstd,
                                   T* __restrict__ dx, float* __restrict__ dgamma,
                                   int rows, int cols) {
  __shared__ float red[kThreads / kWarpSize];
  extern __shared__ float dg[];  // one slot per column, owned by thread (c % kThreads)

  for (int c = threadIdx.x; c < cols; c += kThreads) dg[c] = 0.f;

  for (int r = blockIdx.x; r < rows; r += gridDim.x) {
    const T* dyr = dy + (size_t)r * cols;
    const T* xr = x + (size_t)r * cols;
    T* dxr = dx + (size_t)r * cols;
    const float rs = rstd[r];

    float acc = 0.f;
    for (int c = threadIdx.x; c < cols; c += kThreads) {
      const float g = to_float(dyr[c]);
      const float xh = to_float(xr[c]) * rs;
      acc += g * to_float(gamma[c]) * xh;
      dg[c] += g * xh;
    }
    const float mean = block_sum<kThreads>(acc, red) / cols;

    for (int c = threadIdx.x; c < cols; c += kThreads) {
      const float xh = to_float(xr[c]) * rs;
      const float g = to_float(dyr[c]) * to_float(gamma[c]);
      dxr[c] = from_float<T>((g - xh * mean) * rs);
    }
  }

  for (int c = threadIdx.x; c < cols; c += kThreads) atomicAdd(dgamma + c, dg[c]);
}

template <typename T>
void launch(const T* dy, const T* x, const T* gamma, const float* rstd, T* dx, float* dgamma,
            int rows, int cols, int sms, cudaStream_t stream) {
  const int grid = rows < 4 * sms ? rows : 4 * sms;
  const size_t smem = cols * sizeof(float);
#define RMS_CASE(N) \
  rmsnorm_bwd_kernel<T, N><<<grid, N, smem, stream>>>(dy, x, gamma, rstd, dx, dgamma, rows, cols)
  if (cols <= 128) {
    RMS_CASE(32);
  } else if (cols <= 2048) {
    RMS_CASE(256);
  } else {
    RMS_CASE(1024);
  }
#undef RMS_CASE
}

}  // namespace

std::vector<torch::Tensor> rmsnorm_backward(torch::Tensor dy, torch::Tensor x, torch::Tensor gamma,
                                            torch::Tensor rstd) {
  TORCH_CHECK(x.is_cuda() && x.is_contiguous(), "x must be a contiguous CUDA tensor");
  TORCH_CHECK(dy.is_contiguous(), "dy must be contiguous");
  const int cols = x.size(-1);
  const int rows = x.numel() / cols;
  TORCH_CHECK(rows > 0 && cols > 0 && cols <= 8192, "unsupported shape");
  auto dx = torch::empty_like(x);
  auto dgamma = torch::zeros({cols}, x.options().dtype(torch::kFloat));
  const int sms = at::cuda::getCurrentDeviceProperties()->multiProcessorCount;
  auto stream = at::cuda::getCurrentCUDAStream();
  if (x.scalar_type() == torch::kHalf) {
    launch<__half>((const __half*)dy.data_ptr(), (const __half*)x.data_ptr(),
                   (const __half*)gamma.data_ptr(), rstd.data_ptr<float>(),
                   (__half*)dx.data_ptr(), dgamma.data_ptr<float>(), rows, cols, sms, stream);
  } else {
    launch<float>(dy.data_ptr<float>(), x.data_ptr<float>(), gamma.data_ptr<float>(),
                  rstd.data_ptr<float>(), dx.data_ptr<float>(), dgamma.data_ptr<float>(), rows,
                  cols, sms, stream);
  }
  return {dx, dgamma};
}
