// Non-maximum suppression: pairwise mask kernel and on-device gather of kept boxes.  nvcc -arch=sm_80
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

namespace nms {

constexpr int kThreadsPerBlock = 64;

constexpr __host__ __device__ int ceil_div(int n, int m) { return (n + m - 1) / m; }

__device__ inline bool devIoU(const float *a, const float *b, float threshold) {
  const float left = fmaxf(a[0], b[0]), right = fminf(a[2], b[2]);
  const float top = fmaxf(a[1], b[1]), bottom = fminf(a[3], b[3]);
  const float inter = fmaxf(right - left, 0.f) * fmaxf(bottom - top, 0.f);
  const float sa = (a[2] - a[0]) * (a[3] - a[1]);
  const float sb = (b[2] - b[0]) * (b[3] - b[1]);
  return inter > threshold * (sa + sb - inter);
}

__global__ void nms_mask(int n_boxes, float iou_threshold, const float *dev_boxes,
                         unsigned long long *dev_mask) {
  const int row_start = blockIdx.y;
  const int col_start = blockIdx.x;
  if (row_start > col_start) return;
  const int row_size = min(n_boxes - row_start * kThreadsPerBlock, kThreadsPerBlock);
  const int col_size = min(n_boxes - col_start * kThreadsPerBlock, kThreadsPerBlock);

  __shared__ float block_boxes[kThreadsPerBlock * 4];
  if (threadIdx.x < col_size) {
#pragma unroll
    for (int k = 0; k < 4; ++k)
      block_boxes[threadIdx.x * 4 + k] = dev_boxes[(kThreadsPerBlock * col_start + threadIdx.x) * 4 + k];
  }
  __syncthreads();

  if (threadIdx.x < row_size) {
    const int cur = kThreadsPerBlock * row_start + threadIdx.x;
    const float *cur_box = dev_boxes + cur * 4;
    unsigned long long t = 0;
    const int start = row_start == col_start ? threadIdx.x + 1 : 0;
    for (int i = start; i < col_size; ++i)
      if (devIoU(cur_box, block_boxes + i * 4, iou_threshold)) t |= 1ULL << i;
    dev_mask[static_cast<int64_t>(cur) * ceil_div(n_boxes, kThreadsPerBlock) + col_start] = t;
  }
}

__global__ void gather_keep_from_mask(bool *keep, const unsigned long long *dev_mask, int n_boxes) {
  const int col_blocks = ceil_div(n_boxes, kThreadsPerBlock);
  extern __shared__ unsigned long long removed[];

  for (int i = threadIdx.x; i < col_blocks; i += blockDim.x) removed[i] = 0;
  __syncthreads();

  for (int i = 0; i < col_blocks; ++i) {
    unsigned long long removed_val = removed[i];
    __syncthreads();
    const int i_offset = i * kThreadsPerBlock;
    for (int inblock = 0; inblock < kThreadsPerBlock; ++inblock) {
      const int i_index = i_offset + inblock;
      if (i_index >= n_boxes) break;
      if (!(removed_val & (1ULL << inblock))) {
        if (threadIdx.x == 0) keep[i_index] = true;
        const unsigned long long *p = dev_mask + static_cast<int64_t>(i_index) * col_blocks;
        for (int j = threadIdx.x; j < col_blocks; j += blockDim.x)
          if (j >= i) removed[j] |= p[j];
        __syncthreads();
        removed_val = removed[i];
      }
    }
  }
}

}  // namespace nms

// boxes sorted by score; keep zero-initialised
void nms_cuda(const float *boxes, int n_boxes, float iou_threshold, unsigned long long *mask, bool *keep,
              cudaStream_t stream) {
  if (n_boxes == 0) return;
  const int col_blocks = nms::ceil_div(n_boxes, nms::kThreadsPerBlock);
  const dim3 blocks(col_blocks, col_blocks);
  nms::nms_mask<<<blocks, nms::kThreadsPerBlock, 0, stream>>>(n_boxes, iou_threshold, boxes, mask);
  nms::gather_keep_from_mask<<<1, std::min(col_blocks, 1024), col_blocks * sizeof(unsigned long long), stream>>>(
      keep, mask, n_boxes);
}
