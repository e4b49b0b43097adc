#include <torch/extension.h>

#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>

#include <algorithm>
#include <cstdint>

#define CHECK_INPUT(x)                                             \
  TORCH_CHECK((x).is_cuda(), #x " must be a CUDA tensor");         \
  TORCH_CHECK((x).is_contiguous(), #x " must be contiguous")

namespace quant {

enum class ScaleMode { kStatic, kPerToken };

__device__ __forceinline__ float block_absmax(float v, float* warp_max) {
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) {
    v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, o));
  }
  if ((threadIdx.x & 31) == 0) {
    warp_max[threadIdx.x >> 5] = v;
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    v = threadIdx.x < (blockDim.x >> 5) ? warp_max[threadIdx.x] : 0.f;
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) {
      v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, o));
    }
  }
  return v;  // valid in the first warp
}

__device__ __forceinline__ int8_t to_int8(float v) {
  return static_cast<int8_t>(__float2int_rn(fminf(fmaxf(v, -127.f), 127.f)));
}

template <typename scalar_t, ScaleMode kMode>
__global__ void quantize_rows_kernel(
    const scalar_t* __restrict__ input,
    int8_t* __restrict__ output,
    float* __restrict__ scales,
    int hidden) {
  __shared__ float warp_max[32];
  __shared__ float s_scale;
  const int64_t offset = static_cast<int64_t>(blockIdx.x) * hidden;

  if constexpr (kMode == ScaleMode::kStatic) {
    if (threadIdx.x == 0) {
      s_scale = scales[0];
    }
    __syncthreads();
  } else {
    float m = 0.f;
    for (int i = threadIdx.x; i < hidden; i += blockDim.x) {
      m = fmaxf(m, fabsf(static_cast<float>(input[offset + i])));
    }
    m = block_absmax(m, warp_max);
    if (threadIdx.x == 0) {
      const float scale = fmaxf(m, 1e-10f) / 127.f;
      scales[blockIdx.x] = scale;
      s_scale = scale;
    }
  }

  const float inv = 1.f / s_scale;
  for (int i = threadIdx.x; i < hidden; i += blockDim.x) {
    output[offset + i] = to_int8(static_cast<float>(input[offset + i]) * inv);
  }
}

template <typename scalar_t>
__global__ void dequantize_rows_kernel(
    const int8_t* __restrict__ input,
    const float* __restrict__ scales,
    scalar_t* __restrict__ output,
    int hidden,
    bool per_token) {
  const int64_t offset = static_cast<int64_t>(blockIdx.x) * hidden;
  const float s = scales[per_token ? blockIdx.x : 0];
  for (int i = threadIdx.x; i < hidden; i += blockDim.x) {
    output[offset + i] = static_cast<scalar_t>(s * input[offset + i]);
  }
}

inline int threads_for(int hidden) {
  return std::min(1024, (hidden + 31) / 32 * 32);
}

}  // namespace quant

void quantize(torch::Tensor out, torch::Tensor input, torch::Tensor scales, bool dynamic) {
  CHECK_INPUT(input);
  CHECK_INPUT(out);
  TORCH_CHECK(scales.scalar_type() == torch::kFloat32, "scales must be float32");
  const int hidden = input.size(-1);
  const int64_t tokens = input.numel() / hidden;
  TORCH_CHECK(scales.numel() == (dynamic ? tokens : 1), "wrong number of scales");
  if (tokens == 0) {
    return;
  }
  const at::cuda::OptionalCUDAGuard guard(input.device());
  const cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  const dim3 grid(tokens);
  const dim3 block(quant::threads_for(hidden));
  AT_DISPATCH_FLOATING_TYPES_AND_HALF(input.scalar_type(), "quantize", [&] {
    auto* in = input.data_ptr<scalar_t>();
    auto* o = out.data_ptr<int8_t>();
    auto* s = scales.data_ptr<float>();
    if (dynamic) {
      quant::quantize_rows_kernel<scalar_t, quant::ScaleMode::kPerToken><<<grid, block, 0, stream>>>(in, o, s, hidden);
    } else {
      quant::quantize_rows_kernel<scalar_t, quant::ScaleMode::kStatic><<<grid, block, 0, stream>>>(in, o, s, hidden);
    }
  });
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

void dequantize(torch::Tensor out, torch::Tensor input, torch::Tensor scales) {
  CHECK_INPUT(input);
  CHECK_INPUT(out);
  const int hidden = input.size(-1);
  const int64_t tokens = input.numel() / hidden;
  const at::cuda::OptionalCUDAGuard guard(input.device());
  const cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  AT_DISPATCH_FLOATING_TYPES_AND_HALF(out.scalar_type(), "dequantize", [&] {
    quant::dequantize_rows_kernel<scalar_t><<<dim3(tokens), dim3(quant::threads_for(hidden)), 0, stream>>>(
        input.data_ptr<int8_t>(), scales.data_ptr<float>(), out.data_ptr<scalar_t>(), hidden, scales.numel() > 1);
  });
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("quantize", &quantize);
  m.def("dequantize", &dequantize);
}
