#include <cuda_runtime.h>
#include <algorithm>
#include <cstdint>

namespace compose {

struct WorkQueue {
  int* next;       // zeroed before the launch
  int total;

  __device__ int fetch() const {
    const int t = *next;
    *next = t + 1;
    return t < total ? t : -1;
  }
};

struct Layer {
  const uchar4* px;
  int x0, y0;
  int width, height;
  float opacity;
};

struct Canvas {
  float4* px;
  int width, height;
};

struct ComposeArgs {
  Canvas canvas;
  const Layer* layers;
  int num_layers;
  WorkQueue queue;
};

struct OverOp {
  __device__ float4 operator()(const float4& dst, const uchar4& s, float opacity) const {
    const float a = s.w * (opacity / 255.f);
    const float k = 1.f / 255.f;
    return make_float4(dst.x + (s.x * k - dst.x) * a, dst.y + (s.y * k - dst.y) * a, dst.z + (s.z * k - dst.z) * a,
                       dst.w + (1.f - dst.w) * a);
  }
};

struct AddOp {
  __device__ float4 operator()(const float4& dst, const uchar4& s, float opacity) const {
    const float k = opacity * s.w / (255.f * 255.f);
    return make_float4(dst.x + s.x * k, dst.y + s.y * k, dst.z + s.z * k, dst.w);
  }
};

template <class Op>
__device__ __forceinline__ float4 apply_layers(const ComposeArgs& a, float4 c, int x, int y, Op op) {
  for (int l = 0; l < a.num_layers; ++l) {
    const Layer& L = a.layers[l];
    const int lx = x - L.x0, ly = y - L.y0;
    if (lx < 0 || ly < 0 || lx >= L.width || ly >= L.height) continue;
    c = op(c, L.px[size_t(ly) * L.width + lx], L.opacity);
  }
  return c;
}

template <int TX, int TY, class Op>
__global__ void __launch_bounds__(TX * TY) compose_kernel(ComposeArgs a, Op op) {
  __shared__ int s_tile;
  const int tiles_x = (a.canvas.width + TX - 1) / TX;
  for (;;) {
    if (threadIdx.x == 0 && threadIdx.y == 0) s_tile = a.queue.fetch();
    __syncthreads();
    const int tile = s_tile;
    __syncthreads();
    if (tile < 0) break;
    const int x = (tile % tiles_x) * TX + threadIdx.x;
    const int y = (tile / tiles_x) * TY + threadIdx.y;
    if (x < a.canvas.width && y < a.canvas.height) {
      float4* p = a.canvas.px + size_t(y) * a.canvas.width + x;
      *p = apply_layers(a, *p, x, y, op);
    }
  }
}

template <class Op>
cudaError_t run(ComposeArgs a, Op op, int* counter, cudaStream_t s) {
  constexpr int TX = 32, TY = 8;
  const int tiles = ((a.canvas.width + TX - 1) / TX) * ((a.canvas.height + TY - 1) / TY);
  if (tiles == 0) return cudaSuccess;
  a.queue = WorkQueue{counter, tiles};
  cudaError_t e = cudaMemsetAsync(counter, 0, sizeof(int), s);
  if (e != cudaSuccess) return e;
  int dev = 0, sms = 0, occ = 0;
  cudaGetDevice(&dev);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&occ, compose_kernel<TX, TY, Op>, TX * TY, 0);
  const int grid = std::min(tiles, std::max(1, sms * occ));
  compose_kernel<TX, TY><<<grid, dim3(TX, TY), 0, s>>>(a, op);
  return cudaGetLastError();
}

cudaError_t compose(const ComposeArgs& a, bool additive, int* counter, cudaStream_t s) {
  return additive ? run(a, AddOp{}, counter, s) : run(a, OverOp{}, counter, s);
}

}  // namespace compose
