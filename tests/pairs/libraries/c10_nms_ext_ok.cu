#include <torch/extension.h>

#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>

#include <tuple>

namespace {

constexpr int kBoxesPerBlock = sizeof(unsigned long long) * 8;
constexpr int kGatherThreads = 256;

template <typename T>
__device__ inline bool dev_iou(const T* a, const T* b, float threshold) {
  const T left = max(a[0], b[0]), right = min(a[2], b[2]);
  const T top = max(a[1], b[1]), bottom = min(a[3], b[3]);
  const T w = max(right - left, static_cast<T>(0)), h = max(bottom - top, static_cast<T>(0));
  const T inter = w * h;
  const T sa = (a[2] - a[0]) * (a[3] - a[1]);
  const T sb = (b[2] - b[0]) * (b[3] - b[1]);
  return inter > static_cast<T>(threshold) * (sa + sb - inter);
}

template <typename T>
__global__ void nms_mask_kernel(int n_boxes, float threshold, const T* boxes, unsigned long long* mask) {
  const int row_start = blockIdx.y;
  const int col_start = blockIdx.x;
  if (row_start > col_start) {
    return;
  }
  const int row_size = min(n_boxes - row_start * kBoxesPerBlock, kBoxesPerBlock);
  const int col_size = min(n_boxes - col_start * kBoxesPerBlock, kBoxesPerBlock);

  __shared__ T block_boxes[kBoxesPerBlock * 4];
  if (threadIdx.x < col_size) {
    for (int c = 0; c < 4; ++c) {
      block_boxes[threadIdx.x * 4 + c] = boxes[(kBoxesPerBlock * col_start + threadIdx.x) * 4 + c];
    }
  }
  __syncthreads();

  if (threadIdx.x < row_size) {
    const int cur = kBoxesPerBlock * row_start + threadIdx.x;
    const T* cur_box = boxes + cur * 4;
    unsigned long long t = 0;
    const int start = row_start == col_start ? threadIdx.x + 1 : 0;
    for (int i = start; i < col_size; ++i) {
      if (dev_iou(cur_box, block_boxes + i * 4, threshold)) {
        t |= 1ULL << i;
      }
    }
    mask[static_cast<size_t>(cur) * gridDim.x + col_start] = t;
  }
}

// One block.  Every thread follows the scan over the boxes by itself; word j of
// `removed` is only ever updated by thread j % blockDim.x.
__global__ void nms_gather_kernel(bool* keep, const unsigned long long* mask, int n_boxes, int col_blocks) {
  extern __shared__ unsigned long long removed[];
  for (int j = threadIdx.x; j < col_blocks; j += blockDim.x) {
    removed[j] = 0;
  }

  for (int nblock = 0; nblock < col_blocks; ++nblock) {
    __syncthreads();
    unsigned long long removed_val = removed[nblock];
    const int offset = nblock * kBoxesPerBlock;
    const int count = min(n_boxes - offset, kBoxesPerBlock);
    for (int inblock = 0; inblock < count; ++inblock) {
      if (removed_val & (1ULL << inblock)) {
        continue;
      }
      const int i = offset + inblock;
      const unsigned long long* p = mask + static_cast<size_t>(i) * col_blocks;
      if (threadIdx.x == 0) {
        keep[i] = true;
      }
      removed_val |= p[nblock];
      for (int j = threadIdx.x; j < col_blocks; j += blockDim.x) {
        if (j > nblock) {
          removed[j] |= p[j];
        }
      }
    }
  }
}

}  // namespace

torch::Tensor nms(torch::Tensor boxes, torch::Tensor scores, double threshold) {
  TORCH_CHECK(boxes.is_cuda(), "boxes must be a CUDA tensor");
  TORCH_CHECK(boxes.dim() == 2 && boxes.size(1) == 4, "boxes should be [N, 4]");
  TORCH_CHECK(boxes.size(0) == scores.size(0), "boxes and scores differ in size");
  const at::cuda::OptionalCUDAGuard guard(boxes.device());
  if (boxes.numel() == 0) {
    return torch::empty({0}, boxes.options().dtype(torch::kInt64));
  }

  auto order = std::get<1>(scores.sort(/*dim=*/0, /*descending=*/true));
  auto sorted = boxes.index_select(0, order).contiguous();
  const int n = static_cast<int>(boxes.size(0));
  const int col_blocks = (n + kBoxesPerBlock - 1) / kBoxesPerBlock;
  auto mask = torch::zeros({static_cast<int64_t>(n) * col_blocks}, boxes.options().dtype(torch::kInt64));
  auto keep = torch::zeros({n}, boxes.options().dtype(torch::kBool));
  auto* mask_ptr = reinterpret_cast<unsigned long long*>(mask.data_ptr<int64_t>());
  const cudaStream_t stream = at::cuda::getCurrentCUDAStream();

  AT_DISPATCH_FLOATING_TYPES(sorted.scalar_type(), "nms", [&] {
    nms_mask_kernel<scalar_t><<<dim3(col_blocks, col_blocks), kBoxesPerBlock, 0, stream>>>(
        n, static_cast<float>(threshold), sorted.data_ptr<scalar_t>(), mask_ptr);
  });
  nms_gather_kernel<<<1, kGatherThreads, col_blocks * sizeof(unsigned long long), stream>>>(
      keep.data_ptr<bool>(), mask_ptr, n, col_blocks);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return order.masked_select(keep);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("nms", &nms);
}
