#include "sv/tile.cuh"

namespace sv {
namespace {

constexpr int kTW = 32, kTH = 16;

template <int R>
__global__ void box_blur_kernel(const PtrStepSz<uchar> src, PtrStep<uchar> dst) {
  extern __shared__ float tile[];
  using Shape = TileShape<kTW, kTH, R>;
  const int x0 = blockIdx.x * kTW, y0 = blockIdx.y * kTH;
  load_tile<Shape, R>(tile, src, x0, y0);
  __syncthreads();
  const int x = x0 + threadIdx.x;
  for (int ty = threadIdx.y; ty < kTH; ty += blockDim.y) {
    const int y = y0 + ty;
    if (x >= src.cols || y >= src.rows) continue;
    float s = 0.f;
#pragma unroll
    for (int dy = 0; dy <= 2 * R; ++dy)
#pragma unroll
      for (int dx = 0; dx <= 2 * R; ++dx) s += tile[(ty + dy) * Shape::kPitch + threadIdx.x + dx];
    dst(y, x) = static_cast<uchar>(s / ((2 * R + 1) * (2 * R + 1)) + 0.5f);
  }
}

// Rows are streamed: the first half of the block converts rows of the
// image into a buffer, the second half applies the curve and stores.
template <int HALF>
__global__ void tone_map_kernel(const PtrStepSz<uchar> src, PtrStep<uchar> dst, const float* __restrict__ lut, int rows_per_block) {
  __shared__ float line[2][HALF];
  const int y0 = blockIdx.y * rows_per_block;
  const int n = min(rows_per_block, src.rows - y0);
  const int t = threadIdx.x % HALF;
  const int x = min(blockIdx.x * HALF + t, src.cols - 1);
  if (threadIdx.x < HALF) {
    for (int r = 0; r < n; ++r) {
      line[r & 1][t] = src(y0 + r, x) * (1.f / 255.f);
      named_sync<1>(2 * HALF);
    }
  } else {
    for (int r = 0; r < n; ++r) {
      named_sync<1>(2 * HALF);
      const float l = line[r & 1][max(t - 1, 0)], c = line[r & 1][t], h = line[r & 1][min(t + 1, HALF - 1)];
      const float sharp = fminf(1.f, fmaxf(0.f, 2.f * c - 0.5f * (l + h)));
      if (static_cast<int>(blockIdx.x * HALF) + t < src.cols) dst(y0 + r, x) = static_cast<uchar>(255.f * lut[static_cast<int>(sharp * 255.f)]);
    }
  }
}

template <int R>
void launch_blur(const cv::cuda::GpuMat& src, cv::cuda::GpuMat& dst, cudaStream_t st) {
  const dim3 block(kTW, 8);
  const dim3 grid(div_up(src.cols, kTW), div_up(src.rows, kTH));
  box_blur_kernel<R><<<grid, block, TileShape<kTW, kTH, R>::kBytes, st>>>(src, dst);
  SV_SAFE_CALL(cudaGetLastError());
}

}  // namespace

void box_blur(const cv::cuda::GpuMat& src, cv::cuda::GpuMat& dst, int radius, cv::cuda::Stream& s) {
  switch (radius) {
    case 1: launch_blur<1>(src, dst, raw(s)); break;
    case 2: launch_blur<2>(src, dst, raw(s)); break;
    case 4: launch_blur<4>(src, dst, raw(s)); break;
    default: CV_Error(cv::Error::StsBadArg, "radius");
  }
}

void tone_map(const cv::cuda::GpuMat& src, cv::cuda::GpuMat& dst, const float* lut, cv::cuda::Stream& s) {
  constexpr int kHalf = 128, kRows = 32;
  const dim3 grid(div_up(src.cols, kHalf), div_up(src.rows, kRows));
  tone_map_kernel<kHalf><<<grid, 2 * kHalf, 0, raw(s)>>>(src, dst, lut, kRows);
  SV_SAFE_CALL(cudaGetLastError());
}

}  // namespace sv
