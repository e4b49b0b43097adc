#include "pc_common.h"
#include "block_ops.cuh"

namespace {

constexpr int kWarpsPerBlock = 8;

__device__ __forceinline__ bool point_in_box(float3 p, const float* b) {
  const float sx = p.x - b[0], sy = p.y - b[1], sz = p.z - b[2];
  if (fabsf(sz) > b[5] * 0.5f) return false;
  float s, c;
  sincosf(-b[6], &s, &c);
  const float lx = sx * c - sy * s;
  const float ly = sx * s + sy * c;
  return fabsf(lx) < b[3] * 0.5f && fabsf(ly) < b[4] * 0.5f;
}

// One warp per RoI; keeps the point order.
template <int WARPS>
__global__ void roi_collect_points_kernel(int num_rois, int npts, int max_pts,
                                          const float* __restrict__ rois,
                                          const float3* __restrict__ pts,
                                          int* __restrict__ out_idx, int* __restrict__ out_cnt) {
  const int lane = threadIdx.x & 31;
  const int roi = blockIdx.x * WARPS + (threadIdx.x >> 5);
  if (roi >= num_rois) return;
  const float* box = rois + roi * 7;
  int cnt = 0;
  for (int base = 0; base < npts; base += 32) {
    const int p = base + lane;
    const bool in = p < npts && point_in_box(pts[p], box);
    const unsigned votes = __ballot_sync(pcd::kFullMask, in);
    const int slot = cnt + __popc(votes & ((1u << lane) - 1u));
    if (in && slot < max_pts) out_idx[roi * max_pts + slot] = p;
    cnt += __popc(votes);
  }
  if (lane == 0) out_cnt[roi] = min(cnt, max_pts);
}

// One warp per (roi, channel): max over the collected points.
template <typename scalar_t, int WARPS>
__global__ void roi_max_pool_kernel(int num_rois, int channels, int max_pts,
                                    const scalar_t* __restrict__ feats,
                                    const int* __restrict__ idx, const int* __restrict__ cnt,
                                    scalar_t* __restrict__ out) {
  const int lane = threadIdx.x & 31;
  const int unit = blockIdx.x * WARPS + (threadIdx.x >> 5);
  if (unit >= num_rois * channels) return;
  const int roi = unit / channels, ch = unit % channels;
  float best = -1e30f;
  for (int i = lane; i < cnt[roi]; i += 32)
    best = fmaxf(best, static_cast<float>(feats[idx[roi * max_pts + i] * channels + ch]));
#pragma unroll
  for (int off = 16; off > 0; off >>= 1)
    best = fmaxf(best, __shfl_xor_sync(pcd::kFullMask, best, off));
  if (lane == 0) out[unit] = static_cast<scalar_t>(cnt[roi] > 0 ? best : 0.f);
}

}  // namespace

std::vector<at::Tensor> roi_point_pool(at::Tensor rois, at::Tensor pts, at::Tensor feats,
                                       int64_t max_pts) {
  CHECK_INPUT(rois);
  CHECK_INPUT(pts);
  CHECK_INPUT(feats);
  const at::cuda::OptionalCUDAGuard guard(pts.device());
  const int r = rois.size(0), n = pts.size(0), c = feats.size(1);
  at::Tensor idx = at::zeros({r, max_pts}, pts.options().dtype(at::kInt));
  at::Tensor cnt = at::zeros({r}, pts.options().dtype(at::kInt));
  at::Tensor out = at::zeros({r, c}, feats.options());
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  roi_collect_points_kernel<kWarpsPerBlock>
      <<<DIVUP(r, kWarpsPerBlock), kWarpsPerBlock * 32, 0, stream>>>(
          r, n, static_cast<int>(max_pts), rois.data_ptr<float>(),
          reinterpret_cast<const float3*>(pts.data_ptr<float>()), idx.data_ptr<int>(),
          cnt.data_ptr<int>());
  AT_DISPATCH_FLOATING_TYPES(feats.scalar_type(), "roi_max_pool", [&] {
    roi_max_pool_kernel<scalar_t, kWarpsPerBlock>
        <<<DIVUP(r * c, kWarpsPerBlock), kWarpsPerBlock * 32, 0, stream>>>(
            r, c, static_cast<int>(max_pts), feats.data_ptr<scalar_t>(), idx.data_ptr<int>(),
            cnt.data_ptr<int>(), out.data_ptr<scalar_t>());
  });
  PC_KERNEL_CHECK();
  return {out, cnt};
}
