#include <torch/extension.h>
#include <ATen/AccumulateType.h>
#include <ATen/Dispatch.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>

#include <limits>
#include <type_traits>

// logsumexp over the segments of a CSR layout (graph attention, edge softmax).

namespace {

template <typename T>
struct MaxOp {
  __device__ T operator()(T a, T b) const { return a > b ? a : b; }
  __device__ static T identity() { return -std::numeric_limits<T>::infinity(); }
};

template <typename T>
struct SumOp {
  __device__ T operator()(T a, T b) const { return a + b; }
  __device__ static T identity() { return T(0); }
};

template <typename T, class Op>
__device__ __forceinline__ T warp_reduce(T v, Op op) {
#pragma unroll
  for (int offset = 16; offset > 0; offset >>= 1) v = op(v, __shfl_xor_sync(0xffffffff, v, offset));
  return v;
}

template <typename T, class Op>
__device__ T block_reduce(T v, Op op, T* shared) {
  const int lane = threadIdx.x % 32, wid = threadIdx.x / 32;
  const int warps = blockDim.x / 32;
  v = warp_reduce(v, op);
  __syncthreads();
  if (lane == 0) shared[wid] = v;
  __syncthreads();
  if (wid == 0) {
    v = warp_reduce(lane < warps ? shared[lane] : Op::identity(), op);
    if (threadIdx.x == 0) shared[0] = v;
  }
  __syncthreads();
  return shared[0];
}

template <typename scalar_t>
__global__ void segment_logsumexp_kernel(const scalar_t* __restrict__ values, const int64_t* __restrict__ indptr,
                                         scalar_t* __restrict__ out, int64_t heads) {
  using acc_t = at::acc_type<scalar_t, true>;
  __shared__ acc_t shared[32];
  const int64_t seg = blockIdx.x, head = blockIdx.y;
  const int64_t begin = indptr[seg], end = indptr[seg + 1];
  scalar_t* dst = out + seg * heads + head;
  if (begin == end) {
    if (threadIdx.x == 0) *dst = static_cast<scalar_t>(MaxOp<acc_t>::identity());
    return;
  }

  acc_t top = MaxOp<acc_t>::identity();
  for (int64_t e = begin + threadIdx.x; e < end; e += blockDim.x) {
    const acc_t v = static_cast<acc_t>(values[e * heads + head]);
    top = v > top ? v : top;
  }
  top = block_reduce(top, MaxOp<acc_t>(), shared);

  acc_t sum = acc_t(0);
  for (int64_t e = begin + threadIdx.x; e < end; e += blockDim.x)
    sum += exp(static_cast<acc_t>(values[e * heads + head]) - top);
  sum = block_reduce(sum, SumOp<acc_t>(), shared);

  if (threadIdx.x == 0) *dst = static_cast<scalar_t>(top + log(sum));
}

template <typename scalar_t>
__global__ void edge_softmax_kernel(const scalar_t* __restrict__ values, const int64_t* __restrict__ segment,
                                    const scalar_t* __restrict__ lse, scalar_t* __restrict__ out, int64_t edges,
                                    int64_t heads) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= edges * heads) return;
  using acc_t = at::acc_type<scalar_t, true>;
  const int64_t e = i / heads, h = i % heads;
  out[i] = static_cast<scalar_t>(
      exp(static_cast<acc_t>(values[i]) - static_cast<acc_t>(lse[segment[e] * heads + h])));
}

int threads_for(int64_t edges, int64_t segments) {
  const int64_t mean = edges / segments;
  if (mean <= 128) return 128;
  return mean <= 1024 ? 256 : 512;
}

}  // namespace

torch::Tensor edge_softmax(const torch::Tensor& values, const torch::Tensor& indptr, const torch::Tensor& segment) {
  TORCH_CHECK(values.is_cuda() && values.dim() == 2, "edge_softmax: expected a CUDA tensor of E x H");
  const at::cuda::CUDAGuard guard(values.device());
  auto v = values.contiguous();
  const int64_t edges = v.size(0), heads = v.size(1), segments = indptr.numel() - 1;
  auto out = torch::empty_like(v);
  if (edges == 0 || segments == 0) return out;
  auto lse = torch::empty({segments, heads}, v.options());
  auto stream = at::cuda::getCurrentCUDAStream();

  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, v.scalar_type(), "edge_softmax", [&] {
    const dim3 grid(segments, heads);
    segment_logsumexp_kernel<scalar_t><<<grid, threads_for(edges, segments), 0, stream>>>(
        v.data_ptr<scalar_t>(), indptr.data_ptr<int64_t>(), lse.data_ptr<scalar_t>(), heads);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    const int64_t total = edges * heads;
    edge_softmax_kernel<scalar_t><<<(total + 255) / 256, 256, 0, stream>>>(
        v.data_ptr<scalar_t>(), segment.data_ptr<int64_t>(), lse.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), edges,
        heads);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
  });
  return out;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("edge_softmax", &edge_softmax, "softmax over the edges of a node"); }
