#include <torch/extension.h>
#include <ATen/AccumulateType.h>
#include <ATen/Dispatch.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>

// First order recursive filters y[n] = x[n] + a[n] * y[n-1] with a time varying
// coefficient, as a scan over affine maps. One block for each channel.

namespace {

template <typename T>
struct Affine {
  T mul;
  T add;
  __device__ T operator()(T y) const { return mul * y + add; }
};

// First lo, then hi.
template <typename T>
__device__ __forceinline__ Affine<T> compose(const Affine<T>& lo, const Affine<T>& hi) {
  return Affine<T>{lo.mul * hi.mul, hi.mul * lo.add + hi.add};
}

template <typename T, int THREADS>
struct ChunkScan {
  Affine<T> buf[2][THREADS];

  // Inclusive scan over the block. Returns the row that holds the result.
  __device__ const Affine<T>* run(const Affine<T>& mine) {
    const int t = threadIdx.x;
    int cur = 0;
    buf[0][t] = mine;
    __syncthreads();
#pragma unroll
    for (int d = 1; d < THREADS; d *= 2) {
      Affine<T> v = buf[cur][t];
      if (t >= d) v = compose(buf[cur][t - d], v);
      buf[cur ^ 1][t] = v;
      cur ^= 1;
      __syncthreads();
    }
    return buf[cur];
  }
};

template <typename scalar_t, int THREADS>
__global__ void __launch_bounds__(THREADS)
    lfilter_forward_kernel(const scalar_t* __restrict__ x, const scalar_t* __restrict__ a,
                           const scalar_t* __restrict__ init, scalar_t* __restrict__ y, int64_t length) {
  using acc_t = at::acc_type<scalar_t, /*is_cuda=*/true>;
  __shared__ ChunkScan<acc_t, THREADS> scan;
  const int64_t row = static_cast<int64_t>(blockIdx.x) * length;
  acc_t state = init ? static_cast<acc_t>(init[blockIdx.x]) : acc_t(0);

  for (int64_t base = 0; base < length; base += THREADS) {
    const int64_t i = base + threadIdx.x;
    Affine<acc_t> f{acc_t(1), acc_t(0)};
    if (i < length) f = Affine<acc_t>{static_cast<acc_t>(a[row + i]), static_cast<acc_t>(x[row + i])};
    const Affine<acc_t>* done = scan.run(f);
    if (i < length) y[row + i] = static_cast<scalar_t>(done[threadIdx.x](state));
    state = done[THREADS - 1](state);
  }
}

template <typename scalar_t>
void launch_forward(const torch::Tensor& x, const torch::Tensor& a, const scalar_t* init, torch::Tensor& y,
                    cudaStream_t stream) {
  const int64_t length = x.size(-1);
  const int64_t rows = x.numel() / length;
  auto go = [&](auto threads) {
    constexpr int kThreads = decltype(threads)::value;
    lfilter_forward_kernel<scalar_t, kThreads><<<rows, kThreads, 0, stream>>>(
        x.data_ptr<scalar_t>(), a.data_ptr<scalar_t>(), init, y.data_ptr<scalar_t>(), length);
  };
  if (length <= 2048)
    go(std::integral_constant<int, 128>{});
  else if (length <= 65536)
    go(std::integral_constant<int, 256>{});
  else
    go(std::integral_constant<int, 512>{});
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

}  // namespace

torch::Tensor lfilter_forward(const torch::Tensor& x, const torch::Tensor& a, const c10::optional<torch::Tensor>& init) {
  TORCH_CHECK(x.is_cuda() && a.is_cuda(), "lfilter: expected CUDA tensors");
  TORCH_CHECK(x.sizes() == a.sizes(), "lfilter: coefficient must have the shape of the signal");
  const at::cuda::CUDAGuard guard(x.device());
  auto xc = x.contiguous(), ac = a.contiguous();
  auto y = torch::empty_like(xc);
  if (xc.numel() == 0) return y;
  torch::Tensor ic;
  if (init.has_value()) ic = init->contiguous();

  AT_DISPATCH_FLOATING_TYPES_AND_HALF(xc.scalar_type(), "lfilter_forward", [&] {
    launch_forward<scalar_t>(xc, ac, ic.defined() ? ic.data_ptr<scalar_t>() : nullptr, y,
                             at::cuda::getCurrentCUDAStream());
  });
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("lfilter_forward", &lfilter_forward, "time varying one pole filter (CUDA)", py::arg("x"), py::arg("a"),
        py::arg("init") = py::none());
}
