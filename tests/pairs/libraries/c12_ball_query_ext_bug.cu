#include <torch/extension.h>

#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>

namespace {

constexpr int kThreads = 128;

struct BallParams {
  int n;
  int m;
  int nsample;
  float radius2;
};

template <typename scalar_t>
__device__ __forceinline__ float dist2(const scalar_t* a, const scalar_t* b) {
  const float dx = static_cast<float>(a[0]) - static_cast<float>(b[0]);
  const float dy = static_cast<float>(a[1]) - static_cast<float>(b[1]);
  const float dz = static_cast<float>(a[2]) - static_cast<float>(b[2]);
  return dx * dx + dy * dy + dz * dz;
}

struct HitList {
  int* count;
  int* slots;
  int capacity;

  // warp-aggregated append
  __device__ __forceinline__ void append(bool hit, int k) const {
    const unsigned votes = __ballot_sync(0xffffffffu, hit);
    if (votes == 0) {
      return;
    }
    const int lane = threadIdx.x & 31;
    int base = 0;
    if (lane == 0) {
      base = atomicAdd(count, __popc(votes));
    }
    base = __shfl_sync(0xffffffffu, base, 0);
    const int pos = base + __popc(votes & ((1u << lane) - 1));
    if (hit && pos < capacity) {
      slots[pos] = k;
    }
  }

  __device__ __forceinline__ bool full() const {
    return *count >= capacity;
  }
};

// new_xyz (B, M, 3), xyz (B, N, 3) -> idx (B, M, nsample); one block per centre
template <typename scalar_t>
__global__ void ball_query_kernel(
    BallParams p,
    const scalar_t* __restrict__ new_xyz,
    const scalar_t* __restrict__ xyz,
    int* __restrict__ idx) {
  __shared__ int s_count;
  const int b = blockIdx.y;
  new_xyz += (static_cast<int64_t>(b) * p.m + blockIdx.x) * 3;
  xyz += static_cast<int64_t>(b) * p.n * 3;
  idx += (static_cast<int64_t>(b) * p.m + blockIdx.x) * p.nsample;

  if (threadIdx.x == 0) {
    s_count = 0;
  }
  __syncthreads();

  const HitList hits{&s_count, idx, p.nsample};
  for (int base = 0; base < p.n; base += kThreads) {
    const int k = base + threadIdx.x;
    const bool hit = k < p.n && dist2(new_xyz, xyz + 3 * k) < p.radius2;
    hits.append(hit, k);
    __syncthreads();
    if (hits.full()) {
      break;
    }
  }

  // unused slots repeat the first hit
  const int found = min(s_count, p.nsample);
  const int fill = found > 0 ? idx[0] : 0;
  for (int s = found + threadIdx.x; s < p.nsample; s += kThreads) {
    if (s > 0) {
      idx[s] = fill;
    } else {
      idx[s] = 0;
    }
  }
}

}  // namespace

torch::Tensor ball_query(torch::Tensor new_xyz, torch::Tensor xyz, double radius, int64_t nsample) {
  TORCH_CHECK(new_xyz.is_cuda() && xyz.is_cuda(), "CUDA tensors expected");
  TORCH_CHECK(new_xyz.is_contiguous() && xyz.is_contiguous(), "contiguous tensors expected");
  TORCH_CHECK(new_xyz.size(2) == 3 && xyz.size(2) == 3, "points must have three coordinates");
  TORCH_CHECK(nsample > 0, "nsample must be positive");
  const at::cuda::OptionalCUDAGuard guard(xyz.device());

  const int batch = xyz.size(0);
  const BallParams p{
      static_cast<int>(xyz.size(1)),
      static_cast<int>(new_xyz.size(1)),
      static_cast<int>(nsample),
      static_cast<float>(radius * radius)};
  auto idx = torch::zeros({batch, new_xyz.size(1), nsample}, xyz.options().dtype(torch::kInt32));
  if (idx.numel() == 0) {
    return idx;
  }
  AT_DISPATCH_FLOATING_TYPES_AND_HALF(xyz.scalar_type(), "ball_query", [&] {
    ball_query_kernel<scalar_t><<<dim3(p.m, batch), kThreads, 0, at::cuda::getCurrentCUDAStream()>>>(
        p, new_xyz.data_ptr<scalar_t>(), xyz.data_ptr<scalar_t>(), idx.data_ptr<int>());
  });
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return idx;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("ball_query", &ball_query);
}
