#include "sv/common.hpp"

namespace sv {
namespace {

#define SV_DISPATCH_DISP(D, ...)                              \
  switch (D) {                                                \
    case 64: { constexpr int kD = 64; __VA_ARGS__; break; }   \
    case 128: { constexpr int kD = 128; __VA_ARGS__; break; } \
    case 256: { constexpr int kD = 256; __VA_ARGS__; break; } \
    default: CV_Error(cv::Error::StsBadArg, "ndisp");         \
  }

// One scanline per block, one disparity per thread.
template <int D>
__global__ void __launch_bounds__(D) sgm_path_kernel(const uint8_t* __restrict__ cost, uint16_t* __restrict__ agg,
                                                     int width, int p1, int p2, bool backward) {
  __shared__ int prev[D + 2];
  __shared__ int s_min[D / 32];
  const int d = threadIdx.x;
  const size_t line = static_cast<size_t>(blockIdx.x) * width;
  prev[d + 1] = 0;
  if (d == 0) {
    prev[0] = 1 << 20;
    prev[D + 1] = 1 << 20;
  }
  int min_prev = 0;
  __syncthreads();

  for (int i = 0; i < width; ++i) {
    const int x = backward ? width - 1 - i : i;
    const size_t at = (line + x) * D + d;
    const int best = min(min(prev[d + 1], min_prev + p2), min(prev[d], prev[d + 2]) + p1);
    const int cur = cost[at] + best - min_prev;
    __syncthreads();
    prev[d + 1] = cur;
    int m = cur;
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) m = min(m, __shfl_xor_sync(0xffffffffu, m, o));
    if ((d & 31) == 0) s_min[d >> 5] = m;
    agg[at] += static_cast<uint16_t>(cur);
    __syncthreads();
    min_prev = s_min[0];
#pragma unroll
    for (int w = 1; w < D / 32; ++w) min_prev = min(min_prev, s_min[w]);
  }
}

}  // namespace

void sgm_horizontal(const uint8_t* cost, uint16_t* agg, int width, int height, int ndisp, int p1, int p2, cv::cuda::Stream& s) {
  cudaStream_t st = raw(s);
  SV_SAFE_CALL(cudaMemsetAsync(agg, 0, sizeof(uint16_t) * width * height * static_cast<size_t>(ndisp), st));
  for (int dir = 0; dir < 2; ++dir) {
    SV_DISPATCH_DISP(ndisp, sgm_path_kernel<kD><<<height, kD, 0, st>>>(cost, agg, width, p1, p2, dir == 1))
    SV_SAFE_CALL(cudaGetLastError());
  }
}

}  // namespace sv
