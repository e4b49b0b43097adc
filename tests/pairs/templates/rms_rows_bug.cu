#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <algorithm>

namespace ggx {

template <int LANES>
struct RowGroup {
  static constexpr int kWarps = (LANES + 31) / 32;
  static __device__ int lane() { return threadIdx.x; }
  static __device__ void sync() {
    __syncwarp();
  }
};

struct RmsParams {
  const float* x;
  const float* w;
  float* y;
  int rows;
  int cols;
  float eps;
};

template <int LANES, int ROWS>
struct RmsShared {
  float part[ROWS][RowGroup<LANES>::kWarps];
  float scale[ROWS];
};

__device__ __forceinline__ float sum32(float v) {
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o, 32);
  return v;
}

__device__ __forceinline__ float sq4(const float4& v) {
  return v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
}

template <int LANES, int ROWS>
__global__ void __launch_bounds__(LANES * ROWS) rms_norm_kernel(RmsParams p) {
  using G = RowGroup<LANES>;
  __shared__ RmsShared<LANES, ROWS> sh;
  const int r = threadIdx.y;
  const int row_groups = (p.rows + ROWS - 1) / ROWS;

  for (int g = blockIdx.x; g < row_groups; g += gridDim.x) {
    const int row = g * ROWS + r;
    const bool live = row < p.rows;
    const float* x = p.x + size_t(live ? row : 0) * p.cols;
    const int vec = p.cols / 4;

    float s = 0.f;
    if (live) {
      for (int c = G::lane(); c < vec; c += LANES) s += sq4(reinterpret_cast<const float4*>(x)[c]);
      for (int c = vec * 4 + G::lane(); c < p.cols; c += LANES) s += x[c] * x[c];
    }
    s = sum32(s);
    if (G::lane() % 32 == 0) sh.part[r][G::lane() / 32] = s;
    G::sync();
    if (G::lane() == 0) {
      float t = 0.f;
#pragma unroll
      for (int w = 0; w < G::kWarps; ++w) t += sh.part[r][w];
      sh.scale[r] = rsqrtf(t / float(p.cols) + p.eps);
    }
    G::sync();
    const float k = sh.scale[r];
    if (live) {
      float* y = p.y + size_t(row) * p.cols;
      for (int c = G::lane(); c < p.cols; c += LANES) y[c] = x[c] * k * p.w[c];
    }
    G::sync();
  }
}

template <int LANES, int ROWS>
struct RmsLauncher {
  static void go(const RmsParams& p, int sms, cudaStream_t s) {
    const int groups = (p.rows + ROWS - 1) / ROWS;
    const int grid = std::max(1, std::min(groups, sms * 8));
    rms_norm_kernel<LANES, ROWS><<<grid, dim3(LANES, ROWS), 0, s>>>(p);
  }
};

void rms_norm(const RmsParams& p, int sms, cudaStream_t s) {
  if (p.rows <= 0) return;
  if (p.cols <= 1024)
    RmsLauncher<32, 8>::go(p, sms, s);
  else
    RmsLauncher<64, 4>::go(p, sms, s);
}

}  // namespace ggx
