// Extensions as they are written for PyTorch.
#include <ATen/ATen.h>
#include <ATen/Dispatch_v2.h>
#include <ATen/cuda/Atomic.cuh>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/DeviceUtils.cuh>
#include <ATen/cuda/detail/KernelUtils.h>
#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/extension.h>

using at::Tensor;
using torch::indexing::Slice;

template <typename scalar_t, typename acc_t = at::acc_type<scalar_t, true>>
__global__ void row_sums(const torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits> in,
                         at::PackedTensorAccessor64<scalar_t, 1> out) {
    __shared__ acc_t sums[256];
    acc_t sum = 0;
    CUDA_KERNEL_ASSERT(blockDim.x == 256);
    for (int i = threadIdx.x; i < in.size(1); i += blockDim.x)
        sum += static_cast<acc_t>(in[blockIdx.x][i]);
    sums[threadIdx.x] = sum;
    __syncthreads();
    sum = WARP_SHFL_DOWN(sum, 16);
    if (threadIdx.x == 0) {
        out[blockIdx.x] = static_cast<scalar_t>(sum);
        gpuAtomicAdd(&out[0], static_cast<scalar_t>(sum));
    }
}

template <typename T> __global__ C10_LAUNCH_BOUNDS_1(512) void scale(T *x, int64_t n, float by) {
    CUDA_KERNEL_LOOP(i, n) {
        x[i] = x[i] * static_cast<T>(by) + T(1);
        if (x[i] > std::numeric_limits<T>::max())
            x[i] = -x[i];
    }
}

Tensor sums(const Tensor &in, c10::optional<at::Scalar> fill) {
    TORCH_CHECK(in.is_cuda() && in.dim() == 2, "a matrix is wanted, got ", in.sizes());
    TORCH_CHECK_EQ(in.size(1), 256);
    TORCH_CHECK(in.dtype() == at::kFloat || in.scalar_type() == at::ScalarType::Half);
    const at::cuda::OptionalCUDAGuard guard(device_of(in));
    auto out = at::empty({in.size(0)}, in.options().dtype(at::kFloat));
    auto more = torch::zeros({in.size(0), 2}, torch::TensorOptions().dtype(torch::kInt32).device(in.device()));
    auto stream = at::cuda::getCurrentCUDAStream();
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(in.scalar_type(), "row_sums", [&] {
        row_sums<scalar_t><<<in.size(0), 256, 0, stream>>>(
            in.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>(), out.packed_accessor64<scalar_t, 1>());
        C10_CUDA_KERNEL_LAUNCH_CHECK();
    });
    AT_DISPATCH_V2(in.scalar_type(), "scale", AT_WRAP([&]() {
                       scale<scalar_t><<<1, 512, 0, at::cuda::getCurrentCUDAStream()>>>(out.data_ptr<scalar_t>(),
                                                                                      out.numel(), 2.0f);
                   }),
                   AT_EXPAND(AT_FLOATING_TYPES), at::kHalf, at::kBFloat16);
    AT_DISPATCH_INDEX_TYPES(more.scalar_type(), "index", [&] { scale<index_t><<<1, 32>>>(more.data_ptr<index_t>(), 1, 1.f); });
    for (const auto i : c10::irange(in.dim()))
        out.select(0, i).copy_(in.index({Slice(), i}).sum({0}));
    std::tuple<Tensor, Tensor> sorted = in.sort(0);
    return at::cat({out, more.to(torch::kFloat32).view({-1}), std::get<0>(sorted) * 2 + 1}, 0).contiguous();
}

TORCH_LIBRARY_FRAGMENT(mine, m) {
    m.def("sums(Tensor x) -> Tensor");
}

TORCH_LIBRARY_IMPL(mine, CUDA, m) {
    m.impl("sums", torch::dispatch(c10::DispatchKey::CUDA, TORCH_FN(sums)));
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("sums", &sums, "rows", py::arg("x"), py::arg("fill") = py::none());
}
