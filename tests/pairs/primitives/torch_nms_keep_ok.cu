#include <torch/extension.h>
#include <ATen/ATen.h>
#include <ATen/Dispatch.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>

#include <tuple>

namespace {

constexpr int kBits = 64;
constexpr int kSelectThreads = 128;

template <typename T>
__device__ __forceinline__ T iou(const T* a, const T* b) {
  const T left = max(a[0], b[0]), right = min(a[2], b[2]);
  const T top = max(a[1], b[1]), bottom = min(a[3], b[3]);
  const T inter = max(right - left, T(0)) * max(bottom - top, T(0));
  const T sa = (a[2] - a[0]) * (a[3] - a[1]), sb = (b[2] - b[0]) * (b[3] - b[1]);
  return inter / (sa + sb - inter);
}

// Bit j of mask[i][w] says that box i suppresses box w * 64 + j.
template <typename T>
__global__ void __launch_bounds__(kBits)
    nms_mask_kernel(const T* boxes, int n, T threshold, unsigned long long* mask, int words) {
  const int rowBlock = blockIdx.y, colBlock = blockIdx.x;
  if (rowBlock > colBlock) return;
  __shared__ T cols[kBits][4];
  const int colCount = min(n - colBlock * kBits, kBits);
  if (threadIdx.x < colCount) {
#pragma unroll
    for (int k = 0; k < 4; ++k) cols[threadIdx.x][k] = boxes[(colBlock * kBits + threadIdx.x) * 4 + k];
  }
  __syncthreads();

  const int i = rowBlock * kBits + threadIdx.x;
  if (i >= n) return;
  unsigned long long bits = 0;
  const int start = rowBlock == colBlock ? threadIdx.x + 1 : 0;
  for (int j = start; j < colCount; ++j)
    if (iou(boxes + i * 4, cols[j]) > threshold) bits |= 1ull << j;
  mask[static_cast<size_t>(i) * words + colBlock] = bits;
}

// Walks over the boxes in score order, a single block.
__global__ void __launch_bounds__(kSelectThreads)
    nms_select_kernel(const unsigned long long* mask, int n, int words, const int64_t* order, int64_t* keep,
                      int* keepCount, int maxKeep) {
  extern __shared__ unsigned long long s_removed[];
  for (int w = threadIdx.x; w < words; w += kSelectThreads) s_removed[w] = 0ull;
  __syncthreads();

  int kept = 0;
  for (int i = 0; i < n && kept < maxKeep; ++i) {
    const bool dead = (s_removed[i / kBits] >> (i % kBits)) & 1ull;
    if (dead) continue;
    if (threadIdx.x == 0) keep[kept] = order[i];
    ++kept;
    const unsigned long long* row = mask + static_cast<size_t>(i) * words;
    __syncthreads();
    for (int w = i / kBits + threadIdx.x; w < words; w += kSelectThreads) s_removed[w] |= row[w];
    __syncthreads();
  }
  if (threadIdx.x == 0) *keepCount = kept;
}

}  // namespace

torch::Tensor nms_cuda(const torch::Tensor& boxes, const torch::Tensor& scores, double threshold, int64_t max_keep) {
  TORCH_CHECK(boxes.is_cuda() && scores.is_cuda(), "nms: expected CUDA tensors");
  TORCH_CHECK(boxes.dim() == 2 && boxes.size(1) == 4, "nms: boxes must be N x 4");
  TORCH_CHECK(boxes.size(0) == scores.size(0), "nms: one score for each box");
  const at::cuda::CUDAGuard guard(boxes.device());
  const int n = static_cast<int>(boxes.size(0));
  auto long_opts = boxes.options().dtype(torch::kLong);
  if (n == 0) return torch::empty({0}, long_opts);

  auto order = std::get<1>(scores.sort(/*dim=*/0, /*descending=*/true)).contiguous();
  auto sorted = boxes.index_select(0, order).contiguous();
  const int words = (n + kBits - 1) / kBits;
  auto mask = torch::zeros({n, words}, long_opts);
  auto keep = torch::empty({n}, long_opts);
  auto count = torch::zeros({1}, boxes.options().dtype(torch::kInt));
  auto stream = at::cuda::getCurrentCUDAStream();
  auto* mask_ptr = reinterpret_cast<unsigned long long*>(mask.data_ptr<int64_t>());

  AT_DISPATCH_FLOATING_TYPES(boxes.scalar_type(), "nms_mask", [&] {
    nms_mask_kernel<scalar_t><<<dim3(words, words), kBits, 0, stream>>>(
        sorted.data_ptr<scalar_t>(), n, static_cast<scalar_t>(threshold), mask_ptr, words);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
  });

  const size_t smem = sizeof(unsigned long long) * words;
  TORCH_CHECK(smem <= 48 * 1024, "nms: too many boxes");
  nms_select_kernel<<<1, kSelectThreads, smem, stream>>>(mask_ptr, n, words, order.data_ptr<int64_t>(),
                                                         keep.data_ptr<int64_t>(), count.data_ptr<int>(),
                                                         static_cast<int>(max_keep > 0 ? max_keep : n));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return keep.narrow(0, 0, count.item<int>());
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("nms", &nms_cuda, "non maximum suppression (CUDA)"); }
