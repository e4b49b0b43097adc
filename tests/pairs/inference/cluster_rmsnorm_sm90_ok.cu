// RMSNorm of very long rows split over a thread block cluster (distributed shared memory).  nvcc -arch=sm_90
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

namespace cg = cooperative_groups;

namespace crms {

constexpr int kThreads = 256;

struct Args {
  __nv_bfloat16 *out;
  const __nv_bfloat16 *in;
  const __nv_bfloat16 *weight;
  float eps;
  int hidden;  // even
};

__device__ __forceinline__ float warp_sum(float v) {
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
  return v;
}

template <int kCluster>
__global__ void __launch_bounds__(kThreads) rmsnorm_cluster(const Args a) {
  __shared__ float s_warp[kThreads / 32];
  __shared__ float s_partial;
  __shared__ float s_total;

  cg::cluster_group cluster = cg::this_cluster();
  const int rank = static_cast<int>(cluster.block_rank());
  const int64_t row = blockIdx.x / kCluster;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;

  const int pairs = a.hidden / 2;
  const int per_block = (pairs + kCluster - 1) / kCluster;
  const int p0 = min(rank * per_block, pairs), p1 = min(p0 + per_block, pairs);
  const __nv_bfloat162 *in = reinterpret_cast<const __nv_bfloat162 *>(a.in + row * a.hidden);
  const __nv_bfloat162 *w = reinterpret_cast<const __nv_bfloat162 *>(a.weight);
  __nv_bfloat162 *out = reinterpret_cast<__nv_bfloat162 *>(a.out + row * a.hidden);

  float sum = 0.f;
  for (int i = p0 + threadIdx.x; i < p1; i += kThreads) {
    const float2 f = __bfloat1622float2(in[i]);
    sum += f.x * f.x + f.y * f.y;
  }
  sum = warp_sum(sum);
  if (lane == 0) s_warp[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    sum = warp_sum(lane < kThreads / 32 ? s_warp[lane] : 0.f);
    if (lane == 0) s_partial = sum;
  }
  cluster.sync();

  if (warp == 0) {
    float v = 0.f;
    if (lane < kCluster) v = *cluster.map_shared_rank(&s_partial, lane);
    v = warp_sum(v);
    if (lane == 0) s_total = v;
  }
  __syncthreads();

  const float r = rsqrtf(s_total / a.hidden + a.eps);
  for (int i = p0 + threadIdx.x; i < p1; i += kThreads) {
    const float2 f = __bfloat1622float2(in[i]);
    const float2 g = __bfloat1622float2(w[i]);
    out[i] = __floats2bfloat162_rn(f.x * r * g.x, f.y * r * g.y);
  }
  cluster.sync();
}

template <int kCluster>
cudaError_t launch(const Args &a, int rows, cudaStream_t stream) {
  cudaLaunchConfig_t cfg = {};
  cfg.gridDim = dim3(rows * kCluster);
  cfg.blockDim = dim3(kThreads);
  cfg.stream = stream;
  cudaLaunchAttribute attr[1];
  attr[0].id = cudaLaunchAttributeClusterDimension;
  attr[0].val.clusterDim.x = kCluster;
  attr[0].val.clusterDim.y = 1;
  attr[0].val.clusterDim.z = 1;
  cfg.attrs = attr;
  cfg.numAttrs = 1;
  return cudaLaunchKernelEx(&cfg, rmsnorm_cluster<kCluster>, a);
}

}  // namespace crms

cudaError_t rmsnorm_long(const crms::Args &a, int rows, cudaStream_t stream) {
  if (rows == 0) return cudaSuccess;
  if (a.hidden >= 65536) return crms::launch<8>(a, rows, stream);
  if (a.hidden >= 16384) return crms::launch<4>(a, rows, stream);
  return crms::launch<2>(a, rows, stream);
}
