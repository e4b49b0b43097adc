#include <cuda_runtime.h>
#include <algorithm>
#include <cstdint>

namespace dali_like {

template <typename Out>
struct Convert;
template <>
struct Convert<float> {
  static __device__ float from(float v) { return v; }
};
template <>
struct Convert<uint8_t> {
  static __device__ uint8_t from(float v) { return uint8_t(fminf(fmaxf(v + 0.5f, 0.f), 255.f)); }
};

template <typename Out>
struct RowArgs {
  const uint8_t* in;
  Out* out;
  int width;
  int height;
  int in_pitch;
  int out_pitch;
  float taps[9];
};

template <int BLOCK, int RADIUS>
struct StripStorage {
  float line[BLOCK + 2 * RADIUS];
};

template <int BLOCK, int RADIUS, typename Out>
__device__ __forceinline__ void stage_strip(StripStorage<BLOCK, RADIUS>& sm, const uint8_t* row, int x0, int width) {
  for (int k = threadIdx.x; k < BLOCK + 2 * RADIUS; k += BLOCK) {
    const int x = min(max(x0 + k - RADIUS, 0), width - 1);
    sm.line[k] = float(row[x]);
  }
}

template <int BLOCK, int RADIUS, typename Out>
__global__ void __launch_bounds__(BLOCK) filter_rows(RowArgs<Out> a) {
  __shared__ StripStorage<BLOCK, RADIUS> sm;
  for (int y = blockIdx.x; y < a.height; y += gridDim.x) {
    const uint8_t* row = a.in + size_t(y) * a.in_pitch;
    Out* out = a.out + size_t(y) * a.out_pitch;
    for (int x0 = 0; x0 < a.width; x0 += BLOCK) {
      stage_strip<BLOCK, RADIUS, Out>(sm, row, x0, a.width);
      __syncthreads();
      float acc = 0.f;
#pragma unroll
      for (int t = -RADIUS; t <= RADIUS; ++t)
        acc += a.taps[t + RADIUS] * sm.line[threadIdx.x + RADIUS + t];
      const int x = x0 + threadIdx.x;
      if (x < a.width) out[x] = Convert<Out>::from(acc);
    }
  }
}

template <int RADIUS, typename Out>
void launch_rows(const RowArgs<Out>& a, int block, int grid, cudaStream_t s) {
  switch (block) {
    case 128:
      filter_rows<128, RADIUS, Out><<<grid, 128, 0, s>>>(a);
      break;
    default:
      filter_rows<256, RADIUS, Out><<<grid, 256, 0, s>>>(a);
      break;
  }
}

template <typename Out>
void resample(const RowArgs<Out>& a, int radius, int max_blocks, cudaStream_t s) {
  const int block = a.width <= 128 ? 128 : 256;
  const int grid = std::max(1, std::min(a.height, max_blocks));
  switch (radius) {
    case 1: launch_rows<1>(a, block, grid, s); break;
    case 2: launch_rows<2>(a, block, grid, s); break;
    case 3: launch_rows<3>(a, block, grid, s); break;
    case 4: launch_rows<4>(a, block, grid, s); break;
  }
}

template void resample<float>(const RowArgs<float>&, int, int, cudaStream_t);
template void resample<uint8_t>(const RowArgs<uint8_t>&, int, int, cudaStream_t);

}  // namespace dali_like
