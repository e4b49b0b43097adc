#include <torch/extension.h>

#include <ATen/cuda/Atomic.cuh>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>

#include <algorithm>

namespace {

constexpr int kWarp = 32;
constexpr int kWarpsPerBlock = 4;
constexpr unsigned kFullMask = 0xffffffffu;

template <typename T>
struct AccType {
  using type = T;
};
template <>
struct AccType<at::Half> {
  using type = float;
};

// Adds up `v` over the lanes in `peers`; all of them call this together.
template <typename acc_t>
__device__ __forceinline__ acc_t sum_over_peers(acc_t v, unsigned peers) {
  acc_t total = 0;
  for (unsigned rest = peers; rest != 0; rest &= rest - 1) {
    total += __shfl_sync(peers, v, __ffs(rest) - 1);
  }
  return total;
}

// One lane per index, walking the feature dimension.  Lanes of a warp that hit
// the same row of the table combine their gradients before the atomic.
template <typename scalar_t, typename index_t>
__global__ void embedding_backward_kernel(
    const torch::PackedTensorAccessor64<index_t, 1, torch::RestrictPtrTraits> indices,
    const torch::PackedTensorAccessor64<scalar_t, 2, torch::RestrictPtrTraits> grad_output,
    torch::PackedTensorAccessor64<scalar_t, 2, torch::RestrictPtrTraits> grad_weight,
    const int64_t padding_idx) {
  using acc_t = typename AccType<scalar_t>::type;
  const int64_t n = indices.size(0);
  const int64_t dim = grad_output.size(1);
  const int lane = threadIdx.x % kWarp;
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;

  const index_t row = i < n ? indices[i] : static_cast<index_t>(padding_idx);
  const bool live = i < n && row != padding_idx;

  const unsigned live_mask = __ballot_sync(kFullMask, live);
  if (live) {
    const unsigned peers = __match_any_sync(live_mask, row);
    const bool leader = lane == __ffs(peers) - 1;
    const int64_t start = static_cast<int64_t>(blockIdx.y) * dim / gridDim.y;
    const int64_t stop = static_cast<int64_t>(blockIdx.y + 1) * dim / gridDim.y;
    for (int64_t d = start; d < stop; ++d) {
      const acc_t g = sum_over_peers(static_cast<acc_t>(grad_output[i][d]), peers);
      if (leader) {
        gpuAtomicAddNoReturn(&grad_weight[row][d], static_cast<scalar_t>(g));
      }
      __syncwarp(peers);
    }
  }
}

template <typename index_t>
void launch(
    const torch::Tensor& indices,
    const torch::Tensor& grad_output,
    torch::Tensor& grad_weight,
    int64_t padding_idx) {
  const int threads = kWarp * kWarpsPerBlock;
  const int64_t n = indices.numel();
  const int64_t dim = grad_output.size(1);
  const dim3 grid((n + threads - 1) / threads, std::min<int64_t>(std::max<int64_t>(dim / 32, 1), 16));
  const auto stream = at::cuda::getCurrentCUDAStream();
  AT_DISPATCH_FLOATING_TYPES_AND_HALF(grad_output.scalar_type(), "embedding_backward", [&] {
    embedding_backward_kernel<scalar_t, index_t><<<grid, threads, 0, stream>>>(
        indices.packed_accessor64<index_t, 1, torch::RestrictPtrTraits>(),
        grad_output.packed_accessor64<scalar_t, 2, torch::RestrictPtrTraits>(),
        grad_weight.packed_accessor64<scalar_t, 2, torch::RestrictPtrTraits>(),
        padding_idx);
  });
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

}  // namespace

torch::Tensor embedding_backward(
    torch::Tensor grad_output,
    torch::Tensor indices,
    int64_t num_embeddings,
    int64_t padding_idx) {
  TORCH_CHECK(grad_output.is_cuda() && indices.is_cuda(), "CUDA tensors expected");
  TORCH_CHECK(grad_output.dim() == 2 && indices.dim() == 1, "unexpected shapes");
  TORCH_CHECK(grad_output.size(0) == indices.size(0), "batch sizes differ");
  const at::cuda::OptionalCUDAGuard guard(grad_output.device());

  auto grad_weight = torch::zeros({num_embeddings, grad_output.size(1)}, grad_output.options());
  if (indices.numel() == 0) {
    return grad_weight;
  }
  if (indices.scalar_type() == torch::kInt32) {
    launch<int>(indices, grad_output, grad_weight, padding_idx);
  } else {
    TORCH_CHECK(indices.scalar_type() == torch::kInt64, "indices must be int32 or int64");
    launch<int64_t>(indices, grad_output, grad_weight, padding_idx);
  }
  return grad_weight;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("embedding_backward", &embedding_backward);
}
