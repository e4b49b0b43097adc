#pragma once
#include "sv/common.hpp"

namespace sv {

template <int TW, int TH, int R>
struct TileShape {
  static constexpr int kRows = TH + 2 * R;
  static constexpr int kCols = TW + 2 * R;
  static constexpr int kPitch = TW + R;
  static constexpr size_t kBytes = sizeof(float) * kRows * kPitch;
};

__device__ __forceinline__ int clampi(int v, int lo, int hi) { return min(max(v, lo), hi); }

// Tile with a border of R replicated pixels. The caller synchronises.
template <class Shape, int R>
__device__ void load_tile(float* tile, const PtrStepSz<uchar>& src, int x0, int y0) {
  for (int y = threadIdx.y; y < Shape::kRows; y += blockDim.y)
    for (int x = threadIdx.x; x < Shape::kCols; x += blockDim.x)
      tile[y * Shape::kPitch + x] = src(clampi(y0 + y - R, 0, src.rows - 1), clampi(x0 + x - R, 0, src.cols - 1));
}

template <int ID>
__device__ __forceinline__ void named_sync(int threads) {
  asm volatile("bar.sync %0, %1;" ::"n"(ID), "r"(threads) : "memory");
}

}  // namespace sv
