#include <cuda_runtime.h>
#include <algorithm>
#include <cstdint>

namespace soa {

template <int F>
struct Columns {
  float* col[F];
};

template <int F>
struct UnpackArgs {
  const float* records;  // n x F
  Columns<F> out;
  int n;
};

template <int F>
struct WarpStage {
  static constexpr int kPitch = F | 1;
  float slot[32 * kPitch];
  __device__ float& at(int rec, int field) { return slot[rec * kPitch + field]; }
};

template <int F>
__device__ __forceinline__ void load_records(WarpStage<F>& st, const float* src, int count, int lane) {
  const int total = count * F;
  for (int k = lane; k < total; k += 32) st.at(k / F, k % F) = src[k];
}

template <int F, class Map>
__device__ __forceinline__ void store_columns(WarpStage<F>& st, const Columns<F>& out, int base, int count, int lane,
                                              Map map) {
  if (lane < count) {
#pragma unroll
    for (int f = 0; f < F; ++f) out.col[f][base + lane] = map(st.at(lane, f), f);
  }
}

struct Passthrough {
  __device__ float operator()(float v, int) const { return v; }
};
struct Affine {
  float a, b;
  __device__ float operator()(float v, int f) const { return f < 3 ? a * v + b : v; }
};

template <int F, int WARPS, class Map>
__global__ void __launch_bounds__(WARPS * 32) unpack_kernel(UnpackArgs<F> a, Map map) {
  __shared__ WarpStage<F> stages[WARPS];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  WarpStage<F>& st = stages[warp];
  const int gwarp = blockIdx.x * WARPS + warp;
  const int nwarps = gridDim.x * WARPS;

  for (int base = gwarp * 32; base < a.n; base += nwarps * 32) {
    const int count = min(32, a.n - base);
    load_records<F>(st, a.records + size_t(base) * F, count, lane);
    __syncwarp();
    store_columns<F>(st, a.out, base, count, lane, map);
    __syncwarp();
  }
}

template <int F, class Map>
cudaError_t launch_unpack(const UnpackArgs<F>& a, Map map, cudaStream_t s) {
  constexpr int WARPS = 4;
  int dev = 0, sms = 0, per_sm = 0;
  cudaGetDevice(&dev);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, unpack_kernel<F, WARPS, Map>, WARPS * 32, 0);
  const int need = (a.n + WARPS * 32 - 1) / (WARPS * 32);
  const int grid = std::max(1, std::min(need, sms * per_sm));
  unpack_kernel<F, WARPS, Map><<<grid, WARPS * 32, 0, s>>>(a, map);
  return cudaGetLastError();
}

cudaError_t unpack_points(const UnpackArgs<4>& a, float scale, float shift, cudaStream_t s) {
  if (scale == 1.f && shift == 0.f) return launch_unpack<4>(a, Passthrough{}, s);
  return launch_unpack<4>(a, Affine{scale, shift}, s);
}

cudaError_t unpack_gaussians(const UnpackArgs<14>& a, cudaStream_t s) {
  return launch_unpack<14>(a, Passthrough{}, s);
}

}  // namespace soa
