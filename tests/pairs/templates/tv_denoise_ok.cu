#include <cuda_runtime.h>
#include <algorithm>
#include <utility>

namespace denoise {

template <typename T>
struct Image {
  T* data;
  int width;
  int height;
  int pitch;   // in elements

  __host__ __device__ T& at(int x, int y) const { return data[size_t(y) * pitch + x]; }
};

template <typename T>
struct ClampBorder {
  Image<T> im;
  __device__ T operator()(int x, int y) const {
    x = min(max(x, 0), im.width - 1);
    y = min(max(y, 0), im.height - 1);
    return im.at(x, y);
  }
};

template <typename T>
struct MirrorBorder {
  Image<T> im;
  __device__ T operator()(int x, int y) const {
    if (x < 0) x = -x - 1;
    if (y < 0) y = -y - 1;
    if (x >= im.width) x = 2 * im.width - 1 - x;
    if (y >= im.height) y = 2 * im.height - 1 - y;
    return im.at(x, y);
  }
};

struct TvParams {
  float lambda;
  float dt;
  float eps2;
};

template <int BX, int BY, typename T, class Border>
__global__ void __launch_bounds__(BX * BY) tv_step(Border src, Image<T> dst, const T* __restrict__ noisy, TvParams p) {
  for (int y = blockIdx.y * BY + threadIdx.y; y < dst.height; y += gridDim.y * BY) {
    for (int x = blockIdx.x * BX + threadIdx.x; x < dst.width; x += gridDim.x * BX) {
      const T c = src(x, y);
      const T gx = src(x + 1, y) - c;
      const T gy = src(x, y + 1) - c;
      const T bx = c - src(x - 1, y);
      const T by = c - src(x, y - 1);
      const T wx = rsqrtf(gx * gx + by * by + p.eps2);
      const T wy = rsqrtf(gy * gy + bx * bx + p.eps2);
      const T div = wx * (gx - bx) + wy * (gy - by);
      const T fid = noisy[size_t(y) * dst.pitch + x] - c;
      dst.at(x, y) = c + p.dt * (div + p.lambda * fid);
    }
  }
}

template <typename T>
struct TvSolver {
  static constexpr int BX = 32, BY = 8;
  Image<T> cur;
  Image<T> tmp;
  const T* noisy;
  TvParams params;
  bool mirror;

  static dim3 grid_for(const Image<T>& im, int max_y) {
    const int gx = (im.width + BX - 1) / BX;
    const int gy = std::min((im.height + BY - 1) / BY, max_y);
    return dim3(gx, std::max(1, gy));
  }

  void step(const Image<T>& from, const Image<T>& to, cudaStream_t s) const {
    const dim3 block(BX, BY);
    const dim3 grid = grid_for(to, 1024);
    if (mirror)
      tv_step<BX, BY, T><<<grid, block, 0, s>>>(MirrorBorder<T>{from}, to, noisy, params);
    else
      tv_step<BX, BY, T><<<grid, block, 0, s>>>(ClampBorder<T>{from}, to, noisy, params);
  }

  // Returns the image that holds the result.
  Image<T> solve(int iterations, cudaStream_t s) {
    for (int k = 0; k < iterations; ++k) {
      step(cur, tmp, s);
      std::swap(cur, tmp);
    }
    return cur;
  }
};

Image<float> tv_denoise(Image<float> im, Image<float> scratch, const float* noisy, const TvParams& p, int iterations,
                        bool mirror, cudaStream_t s) {
  TvSolver<float> solver{im, scratch, noisy, p, mirror};
  return solver.solve(iterations, s);
}

}  // namespace denoise
