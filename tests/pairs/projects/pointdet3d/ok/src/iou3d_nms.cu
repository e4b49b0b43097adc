#include "pc_common.h"

namespace {

constexpr int kBoxDim = 7;
constexpr int kNmsThreads = sizeof(unsigned long long) * 8;

__device__ __forceinline__ float iou_axis_aligned(const float* a, const float* b) {
  const float left = fmaxf(a[0] - a[3] / 2, b[0] - b[3] / 2);
  const float right = fminf(a[0] + a[3] / 2, b[0] + b[3] / 2);
  const float top = fmaxf(a[1] - a[4] / 2, b[1] - b[4] / 2);
  const float bottom = fminf(a[1] + a[4] / 2, b[1] + b[4] / 2);
  const float inter = fmaxf(right - left, 0.f) * fmaxf(bottom - top, 0.f);
  return inter / fmaxf(a[3] * a[4] + b[3] * b[4] - inter, 1e-8f);
}

template <int TPB>
__global__ void nms_mask_kernel(int n, float thresh, const float* __restrict__ boxes,
                                unsigned long long* __restrict__ mask) {
  __shared__ float tile[TPB * kBoxDim];
  const int row = blockIdx.x * TPB + threadIdx.x;
  const int col_blocks = DIVUP(n, TPB);
  float cur[kBoxDim];
  if (row < n) {
    for (int k = 0; k < kBoxDim; ++k) cur[k] = boxes[row * kBoxDim + k];
  }

  for (int cb = 0; cb < col_blocks; ++cb) {
    const int cols = min(n - cb * TPB, TPB);
    if (threadIdx.x < cols) {
      for (int k = 0; k < kBoxDim; ++k)
        tile[threadIdx.x * kBoxDim + k] = boxes[(cb * TPB + threadIdx.x) * kBoxDim + k];
    }
    __syncthreads();

    if (row < n) {
      unsigned long long bits = 0;
      for (int i = 0; i < cols; ++i) {
        if (cb * TPB + i <= row) continue;
        if (iou_axis_aligned(cur, tile + i * kBoxDim) > thresh) bits |= 1ULL << i;
      }
      mask[static_cast<size_t>(row) * col_blocks + cb] = bits;
    }
    __syncthreads();
  }
}

}  // namespace

at::Tensor nms_mask(at::Tensor boxes, double thresh) {
  CHECK_INPUT(boxes);
  TORCH_CHECK(boxes.size(1) == kBoxDim, "boxes must be (N, 7)");
  const at::cuda::OptionalCUDAGuard guard(boxes.device());
  const int n = boxes.size(0);
  const int col_blocks = DIVUP(n, kNmsThreads);
  at::Tensor mask = at::zeros({n, col_blocks}, boxes.options().dtype(at::kLong));
  if (n == 0) return mask;
  nms_mask_kernel<kNmsThreads><<<col_blocks, kNmsThreads, 0, at::cuda::getCurrentCUDAStream()>>>(
      n, static_cast<float>(thresh), boxes.data_ptr<float>(),
      reinterpret_cast<unsigned long long*>(mask.data_ptr<int64_t>()));
  PC_KERNEL_CHECK();
  return mask;
}
