#include <cuda_runtime.h>

namespace vilib {

constexpr int kCellW = 32;
constexpr int kCellH = 32;
constexpr int kRows = 4;

struct Image {
  const float* response;
  int width;
  int height;
  int pitch;  // in elements
};

struct Corner {
  float score;
  int x;
  int y;
};

__device__ __forceinline__ Corner better(const Corner& a, const Corner& b) {
  return (b.score > a.score) ? b : a;
}

__device__ __forceinline__ Corner shfl_down(const Corner& c, int d) {
  Corner o;
  o.score = __shfl_down_sync(0xffffffffu, c.score, d);
  o.x = __shfl_down_sync(0xffffffffu, c.x, d);
  o.y = __shfl_down_sync(0xffffffffu, c.y, d);
  return o;
}

__device__ Corner warp_best(Corner c) {
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) {
    c = better(c, shfl_down(c, d));
  }
  return c;
}

__global__ void grid_nms_kernel(Image img, float threshold, int cells_x, Corner* out) {
  __shared__ Corner row_best[kRows];

  const int x = blockIdx.x * kCellW + threadIdx.x;
  const int y0 = blockIdx.y * kCellH;
  Corner best = {threshold, -1, -1};

  if (x < img.width) {
    for (int dy = threadIdx.y; dy < kCellH; dy += kRows) {
      const int y = y0 + dy;
      if (y >= img.height) break;
      const Corner c = {img.response[y * img.pitch + x], x, y};
      best = better(best, c);
    }
  }
  best = warp_best(best);
  if (threadIdx.x == 0) row_best[threadIdx.y] = best;
  __syncthreads();

  if (threadIdx.x == 0 && threadIdx.y == 0) {
    for (int r = 1; r < kRows; ++r) best = better(best, row_best[r]);
    out[blockIdx.y * cells_x + blockIdx.x] = best;
  }
}

void detect_grid(const Image& img, float threshold, Corner* corners, cudaStream_t stream) {
  const int cells_x = (img.width + kCellW - 1) / kCellW;
  const int cells_y = (img.height + kCellH - 1) / kCellH;
  if (cells_x == 0 || cells_y == 0) return;
  const dim3 threads(kCellW, kRows);
  const dim3 blocks(cells_x, cells_y);
  grid_nms_kernel<<<blocks, threads, 0, stream>>>(img, threshold, cells_x, corners);
}

}  // namespace vilib
