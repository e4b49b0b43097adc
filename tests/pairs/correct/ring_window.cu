// Box filter streaming down an image; a ring of rows in shared memory holds the window.
#include <cuda_runtime.h>
#include <algorithm>
#include <stdexcept>

template <int R, int BX>
struct RowRing {
  static constexpr int kRows = 2 * R + 2;
  static constexpr int kWidth = BX + 2 * R;
  float row[kRows][kWidth];

  __device__ static int slot(int y) { return (y + kRows) % kRows; }
  __device__ void load(const float* __restrict__ img, int w, int h, int ld, int x0, int y) {
    const int cy = min(max(y, 0), h - 1);
    float* dst = row[slot(y)];
    for (int i = threadIdx.x; i < kWidth; i += BX) {
      const int cx = min(max(x0 + i - R, 0), w - 1);
      dst[i] = img[size_t(cy) * ld + cx];
    }
  }
  __device__ float horizontal(int y, int lx) const {
    const float* r = row[slot(y)];
    float s = 0.f;
#pragma unroll
    for (int d = 0; d <= 2 * R; ++d) s += r[lx + d];
    return s;
  }
};

template <int R, int BX>
__global__ void __launch_bounds__(BX) box_stream(const float* __restrict__ in, float* __restrict__ out, int w, int h, int ld, int rows_per_block) {
  __shared__ RowRing<R, BX> ring;
  const int x0 = blockIdx.x * BX, x = x0 + threadIdx.x;
  const int y_begin = blockIdx.y * rows_per_block;
  const int y_end = min(y_begin + rows_per_block, h);
  for (int y = y_begin - R; y < y_begin + R; ++y) ring.load(in, w, h, ld, x0, y);
  for (int y = y_begin; y < y_end; ++y) {
    ring.load(in, w, h, ld, x0, y + R);
    __syncthreads();
    if (x < w) {
      float s = 0.f;
      for (int d = -R; d <= R; ++d) s += ring.horizontal(y + d, threadIdx.x);
      out[size_t(y) * ld + x] = s * (1.f / ((2 * R + 1) * (2 * R + 1)));
    }
  }
}

struct ImageView {
  float* data;
  int w, h, ld;
};

enum class Radius { Small = 1, Medium = 3, Large = 7 };

template <int R, int BX>
void go(const ImageView& a, const ImageView& b, cudaStream_t s) {
  static_assert(2 * R + 2 >= 2 * R + 1 + 1, "one spare row");
  const int rows = std::clamp(a.h / 64, 8, 128);
  box_stream<R, BX><<<dim3((a.w + BX - 1) / BX, (a.h + rows - 1) / rows), BX, 0, s>>>(a.data, b.data, a.w, a.h, a.ld, rows);
}

void box_filter(const ImageView& a, const ImageView& b, Radius r, cudaStream_t s) {
  if (a.w < 1 || a.h < 1 || a.w != b.w || a.h != b.h || a.ld != b.ld || a.ld < a.w) throw std::invalid_argument("views");
  if (a.data == b.data) throw std::invalid_argument("in-place");
  switch (r) {
    case Radius::Small: go<1, 128>(a, b, s); break;
    case Radius::Medium: go<3, 96>(a, b, s); break;
    case Radius::Large: go<7, 256>(a, b, s); break;
  }
}
