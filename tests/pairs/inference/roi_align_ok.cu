// RoIAlign forward, one block per (roi, channel chunk).  nvcc -arch=sm_80
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

namespace roi {

struct Geometry {
  float x1, y1, bin_w, bin_h;
  int batch, grid_w, grid_h;
};

struct RoiParams {
  const __half *feat;  // [N, C, H, W]
  const float *rois;   // [R, 5] batch, x1, y1, x2, y2
  __half *out;         // [R, C, P, P]
  int channels, height, width;
  int pooled;
  int sampling_ratio;
  float spatial_scale;
  bool aligned;
};

__device__ __forceinline__ float bilinear(const __half *f, int h, int w, float y, float x) {
  if (y < -1.f || y > h || x < -1.f || x > w) return 0.f;
  y = fmaxf(y, 0.f);
  x = fmaxf(x, 0.f);
  int y0 = static_cast<int>(y), x0 = static_cast<int>(x);
  int y1 = y0 + 1, x1 = x0 + 1;
  if (y0 >= h - 1) { y0 = y1 = h - 1; y = y0; }
  if (x0 >= w - 1) { x0 = x1 = w - 1; x = x0; }
  const float ly = y - y0, lx = x - x0, hy = 1.f - ly, hx = 1.f - lx;
  return hy * hx * __half2float(f[y0 * w + x0]) + hy * lx * __half2float(f[y0 * w + x1]) +
         ly * hx * __half2float(f[y1 * w + x0]) + ly * lx * __half2float(f[y1 * w + x1]);
}

__device__ __forceinline__ Geometry make_geometry(const float *box, int batch, const RoiParams &p) {
  Geometry g;
  float w = box[2] - box[0], h = box[3] - box[1];
  if (!p.aligned) {
    w = fmaxf(w, 1.f);
    h = fmaxf(h, 1.f);
  }
  g.x1 = box[0];
  g.y1 = box[1];
  g.bin_w = w / p.pooled;
  g.bin_h = h / p.pooled;
  g.batch = batch;
  g.grid_w = p.sampling_ratio > 0 ? p.sampling_ratio : max(1, static_cast<int>(ceilf(g.bin_w)));
  g.grid_h = p.sampling_ratio > 0 ? p.sampling_ratio : max(1, static_cast<int>(ceilf(g.bin_h)));
  return g;
}

__global__ void roi_align_forward(const RoiParams p, int channels_per_block) {
  __shared__ float s_box[4];
  __shared__ Geometry s_geom;

  const float *roi = p.rois + static_cast<int64_t>(blockIdx.x) * 5;
  const float shift = p.aligned ? 0.5f : 0.f;
  if (threadIdx.x < 4) s_box[threadIdx.x] = roi[1 + threadIdx.x] * p.spatial_scale - shift;
  __syncwarp();
  if (threadIdx.x == 0) s_geom = make_geometry(s_box, static_cast<int>(roi[0]), p);
  __syncthreads();

  const Geometry g = s_geom;
  const float inv = 1.f / (g.grid_w * g.grid_h);
  const int c0 = blockIdx.y * channels_per_block;
  const int c1 = min(c0 + channels_per_block, p.channels);
  const int bins = p.pooled * p.pooled;

  for (int i = threadIdx.x; i < (c1 - c0) * bins; i += blockDim.x) {
    const int c = c0 + i / bins, ph = (i % bins) / p.pooled, pw = i % p.pooled;
    const __half *f = p.feat + (static_cast<int64_t>(g.batch) * p.channels + c) * p.height * p.width;
    float acc = 0.f;
    for (int iy = 0; iy < g.grid_h; ++iy) {
      const float y = g.y1 + ph * g.bin_h + (iy + 0.5f) * g.bin_h / g.grid_h;
      for (int ix = 0; ix < g.grid_w; ++ix) {
        const float x = g.x1 + pw * g.bin_w + (ix + 0.5f) * g.bin_w / g.grid_w;
        acc += bilinear(f, p.height, p.width, y, x);
      }
    }
    p.out[(static_cast<int64_t>(blockIdx.x) * p.channels + c) * bins + ph * p.pooled + pw] =
        __float2half(acc * inv);
  }
}

}  // namespace roi

void roi_align(const roi::RoiParams &p, int num_rois, cudaStream_t stream) {
  if (num_rois == 0) return;
  constexpr int kChannels = 32;
  const dim3 grid(num_rois, (p.channels + kChannels - 1) / kChannels);
  const int block = std::min(256, (kChannels * p.pooled * p.pooled + 31) / 32 * 32);
  roi::roi_align_forward<<<grid, block, 0, stream>>>(p, kChannels);
}
