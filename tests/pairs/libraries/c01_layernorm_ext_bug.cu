#include <torch/extension.h>

#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>

#include <algorithm>
#include <tuple>

namespace {

constexpr int kWarpSize = 32;
constexpr int kMaxWarps = 32;

template <typename acc_t>
__device__ __forceinline__ acc_t warp_sum(acc_t v) {
#pragma unroll
  for (int offset = kWarpSize / 2; offset > 0; offset >>= 1) {
    v += __shfl_xor_sync(0xffffffff, v, offset);
  }
  return v;
}

// Sum over the block, result in all threads.
template <typename acc_t>
__device__ acc_t block_sum(acc_t v, acc_t* scratch) {
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int num_warps = blockDim.x / kWarpSize;
  v = warp_sum(v);
  if (lane == 0) {
    scratch[warp] = v;
  }
  __syncthreads();
  v = lane < num_warps ? scratch[lane] : acc_t(0);
  return warp_sum(v);
}

template <typename scalar_t>
__global__ void layer_norm_forward_kernel(
    const torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits> input,
    const scalar_t* __restrict__ gamma,
    const scalar_t* __restrict__ beta,
    torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits> output,
    float* __restrict__ mean_out,
    float* __restrict__ rstd_out,
    float eps) {
  __shared__ float scratch[kMaxWarps];
  const int row = blockIdx.x;
  const int cols = input.size(1);

  float sum = 0.f;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    sum += static_cast<float>(input[row][c]);
  }
  const float mean = block_sum(sum, scratch) / cols;

  float sq = 0.f;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    const float d = static_cast<float>(input[row][c]) - mean;
    sq += d * d;
  }
  const float rstd = rsqrtf(block_sum(sq, scratch) / cols + eps);

  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    const float x = (static_cast<float>(input[row][c]) - mean) * rstd;
    const float g = gamma ? static_cast<float>(gamma[c]) : 1.f;
    const float b = beta ? static_cast<float>(beta[c]) : 0.f;
    output[row][c] = static_cast<scalar_t>(x * g + b);
  }
  if (threadIdx.x == 0) {
    mean_out[row] = mean;
    rstd_out[row] = rstd;
  }
}

int threads_for(int64_t cols) {
  const int64_t warps = (cols + 4 * kWarpSize - 1) / (4 * kWarpSize);
  return static_cast<int>(std::min<int64_t>(std::max<int64_t>(warps, 1), kMaxWarps)) * kWarpSize;
}

}  // namespace

std::tuple<torch::Tensor, torch::Tensor, torch::Tensor> layer_norm_forward(
    torch::Tensor input,
    torch::Tensor gamma,
    torch::Tensor beta,
    double eps) {
  TORCH_CHECK(input.is_cuda(), "input must be a CUDA tensor");
  TORCH_CHECK(input.dim() == 2, "expected a 2D input, got ", input.dim(), "D");
  TORCH_CHECK(gamma.size(0) == input.size(1), "gamma has the wrong size");
  TORCH_CHECK(beta.size(0) == input.size(1), "beta has the wrong size");
  const at::cuda::OptionalCUDAGuard guard(input.device());

  auto output = torch::empty_like(input);
  auto mean = torch::empty({input.size(0)}, input.options().dtype(torch::kFloat32));
  auto rstd = torch::empty_like(mean);
  if (input.numel() == 0) {
    return std::make_tuple(output, mean, rstd);
  }
  const auto stream = at::cuda::getCurrentCUDAStream();
  AT_DISPATCH_FLOATING_TYPES_AND_HALF(input.scalar_type(), "layer_norm_forward", [&] {
    layer_norm_forward_kernel<scalar_t>
        <<<static_cast<unsigned>(input.size(0)), threads_for(input.size(1)), 0, stream>>>(
            input.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>(),
            gamma.data_ptr<scalar_t>(),
            beta.data_ptr<scalar_t>(),
            output.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>(),
            mean.data_ptr<float>(),
            rstd.data_ptr<float>(),
            static_cast<float>(eps));
  });
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return std::make_tuple(output, mean, rstd);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("layer_norm_forward", &layer_norm_forward, "LayerNorm forward (CUDA)");
}
