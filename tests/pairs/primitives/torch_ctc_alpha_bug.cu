#include <torch/extension.h>
#include <ATen/Dispatch.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>

#include <limits>
#include <tuple>

// Forward variables of CTC for dense targets, used for alignment scores. One
// row of the thread block for each batch item, one thread for each state.

namespace {

template <typename scalar_t>
using Acc1 = torch::PackedTensorAccessor32<scalar_t, 1, torch::RestrictPtrTraits>;
template <typename scalar_t>
using Acc2 = torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits>;
template <typename scalar_t>
using Acc3 = torch::PackedTensorAccessor32<scalar_t, 3, torch::RestrictPtrTraits>;

template <typename scalar_t>
__device__ __forceinline__ scalar_t log_add(scalar_t a, scalar_t b) {
  const scalar_t m = a > b ? a : b;
  if (m == -std::numeric_limits<scalar_t>::infinity()) return m;
  return m + log(exp(a - m) + exp(b - m));
}

// State s of the extended target: blanks sit at the even positions.
__device__ __forceinline__ int64_t label_at(const Acc2<int64_t>& targets, int b, int s, int64_t blank) {
  return (s & 1) ? targets[b][s >> 1] : blank;
}

template <typename scalar_t>
__global__ void ctc_alpha_kernel(Acc3<scalar_t> log_probs,  // T x B x C
                                 Acc2<int64_t> targets, Acc1<int64_t> input_lengths, Acc1<int64_t> target_lengths,
                                 Acc1<scalar_t> score, double* total, int64_t blank) {
  __shared__ double block_total;
  extern __shared__ __align__(16) unsigned char smem[];
  const int width = blockDim.x + 2;
  scalar_t* rows = reinterpret_cast<scalar_t*>(smem) + threadIdx.y * 2 * width;
  const scalar_t neg_inf = -std::numeric_limits<scalar_t>::infinity();

  const int b = blockIdx.x * blockDim.y + threadIdx.y;
  const bool item = b < log_probs.size(1);
  const int s = threadIdx.x;
  const int states = item ? 2 * static_cast<int>(target_lengths[b]) + 1 : 0;
  const int frames = item ? static_cast<int>(input_lengths[b]) : 0;
  const bool live = s < states;
  const int64_t label = live ? label_at(targets, b, s, blank) : blank;
  const bool skip = live && s >= 2 && (s & 1) && label != label_at(targets, b, s - 2, blank);

  // two cells of padding in front of each row
  if (threadIdx.x == 0 && threadIdx.y == 0) block_total = 0.0;
  for (int i = s; i < 2 * width; i += blockDim.x) rows[i] = neg_inf;
  __syncthreads();
  if (live && s < 2 && frames > 0) rows[2 + s] = log_probs[0][b][label];
  __syncthreads();

  for (int t = 1; t < frames; ++t) {
    const scalar_t* prev = rows + ((t - 1) & 1) * width + 2 + s;
    scalar_t* next = rows + (t & 1) * width + 2 + s;
    if (live) {
      scalar_t a = log_add(prev[0], prev[-1]);
      if (skip) a = log_add(a, prev[-2]);
      *next = a + log_probs[t][b][label];
    }
    __syncthreads();
  }

  if (item && s == 0) {
    const scalar_t* last = rows + ((frames - 1) & 1) * width + 2;
    const scalar_t v = frames == 0 ? neg_inf : (states > 1 ? log_add(last[states - 1], last[states - 2]) : last[0]);
    score[b] = v;
    if (v > neg_inf) atomicAdd(&block_total, static_cast<double>(v));
  }
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0) atomicAdd(total, block_total);
}

int pow2_at_least(int n) {
  int p = 32;
  while (p < n) p *= 2;
  return p;
}

}  // namespace

std::tuple<torch::Tensor, torch::Tensor> ctc_alignment_score(const torch::Tensor& log_probs, const torch::Tensor& targets,
                                  const torch::Tensor& input_lengths, const torch::Tensor& target_lengths,
                                  int64_t blank) {
  TORCH_CHECK(log_probs.is_cuda() && targets.is_cuda(), "expected CUDA tensors");
  TORCH_CHECK(log_probs.dim() == 3 && targets.dim() == 2, "expected T x B x C and B x S");
  const at::cuda::CUDAGuard guard(log_probs.device());

  const int batch = static_cast<int>(log_probs.size(1));
  const int states = 2 * static_cast<int>(targets.size(1)) + 1;
  const int threads_x = pow2_at_least(states);
  TORCH_CHECK(threads_x <= 1024, "target too long");
  const int threads_y = threads_x <= 128 ? 2 : 1;

  auto score = torch::empty({batch}, log_probs.options());
  auto total = torch::zeros({1}, log_probs.options().dtype(torch::kDouble));
  if (batch == 0) return std::make_tuple(score, total);
  const dim3 block(threads_x, threads_y);
  const dim3 grid((batch + threads_y - 1) / threads_y);
  auto stream = at::cuda::getCurrentCUDAStream();

  AT_DISPATCH_FLOATING_TYPES(log_probs.scalar_type(), "ctc_alignment_score", [&] {
    const size_t smem = sizeof(scalar_t) * threads_y * 2 * (threads_x + 2);
    ctc_alpha_kernel<scalar_t><<<grid, block, smem, stream>>>(
        log_probs.packed_accessor32<scalar_t, 3, torch::RestrictPtrTraits>(),
        targets.packed_accessor32<int64_t, 2, torch::RestrictPtrTraits>(),
        input_lengths.packed_accessor32<int64_t, 1, torch::RestrictPtrTraits>(),
        target_lengths.packed_accessor32<int64_t, 1, torch::RestrictPtrTraits>(),
        score.packed_accessor32<scalar_t, 1, torch::RestrictPtrTraits>(), total.data_ptr<double>(), blank);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
  });
  return std::make_tuple(score, total);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("ctc_alignment_score", &ctc_alignment_score, "CTC forward score (CUDA)");
}
